// The API's page: openapi.json as people read it. It loads nothing but that document, from beside itself.
import {fieldsOf, resolve, withCode} from './schema.js';
import {element} from './element.js';

const base = new URL('.', location.href);
const filter = document.getElementById('filter');
const main = document.getElementById('routes');
const nav = document.getElementById('groups');
const methods = ['get', 'put', 'post', 'delete', 'patch'];

// ---- one route

function pathWithPlaces(path) {
  return path.split(/(\{[^}]*\})/).map((part) => (part.startsWith('{') ? element('b', {}, part) : part));
}

function quotedForShell(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curlOf(route) {
  const target = new URL(route.path.slice(1), base).href.replaceAll('%7B', '{').replaceAll('%7D', '}');
  const lines = [`curl ${route.method === 'get' ? '' : `-X ${route.method.toUpperCase()} `}${quotedForShell(target)}`];
  if (target.includes('{')) lines[0] = lines[0].replace('curl', 'curl --globoff');
  if (route.security.length) lines.push('-H "Authorization: Bearer $FF_TOKEN"');
  const media = route.requestBody?.content['application/json'];
  if (media) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d ${quotedForShell(media.example ? JSON.stringify(media.example, null, 2) : '{}')}`);
  }
  return lines.join(' \\\n  ');
}

async function copy(text, button) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
  } else {
    // Plain HTTP from another machine has no clipboard of its own.
    const area = element('textarea', {class: 'visually-hidden'}, text);
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}

function sample(text) {
  const button = element('button', {type: 'button'}, 'Copy');
  button.addEventListener('click', () => copy(text, button));
  return element('div', {class: 'sample'}, element('pre', {}, text), button);
}

function parametersOf(route) {
  if (!route.parameters?.length) return [];
  const properties = {};
  const required = [];
  for (const parameter of route.parameters) {
    properties[parameter.name] = {...parameter.schema, description: parameter.description, place: parameter.in};
    if (parameter.required) required.push(parameter.name);
  }
  return [element('h3', {}, 'Parameters'), ...fieldsOf({type: 'object', properties, required})];
}

function bodyOf(route) {
  const body = route.requestBody;
  if (!body) return [];
  const limit = `at most ${body['x-max-bytes'] ? (body['x-max-bytes'] / 1024).toLocaleString('en') : 64} KiB`;
  const media = body.content['application/json'];
  return [element('h3', {}, 'Body ', element('small', {}, `application/json, ${limit}`)), ...fieldsOf(media.schema)];
}

function answerOf([status, answer]) {
  const headers = Object.entries(answer.headers ?? {});
  const parts = [element('h3', {}, 'Answer ', element('span', {class: 'status'}, status), ' ',
    element('small', {}, ...withCode(answer.description)))];
  for (const [type, media] of Object.entries(answer.content ?? {})) {
    if (type !== 'application/json') parts.push(element('div', {class: 'type'}, type));
    if (media.schema) parts.push(...fieldsOf(media.schema));
  }
  for (const [name, header] of headers) {
    parts.push(element('div', {}, element('code', {}, name), ': ', ...withCode(header.description)));
  }
  return parts;
}

function answersOf(route) {
  const all = Object.entries(route.responses).map(([status, answer]) => [status, resolve(answer)]);
  const good = all.filter(([status]) => status < '400');
  const bad = all.filter(([status]) => status >= '400');
  const errors = bad.map(([status, answer]) =>
    element('li', {}, element('code', {}, status), ' ', ...withCode(answer.description)));
  return [...good.flatMap(answerOf),
    ...(bad.length ? [element('h3', {}, 'Errors'), element('ul', {class: 'errors'}, ...errors)] : [])];
}

function routeDetails(route) {
  const scope = route.security.length ? route.security[0].bearer[0] : 'open';
  const details = element('details', {class: 'route', id: route.operationId},
    element('summary', {},
      element('span', {class: `method ${route.method}`}, route.method),
      element('span', {class: 'path'}, ...pathWithPlaces(route.path)),
      element('span', {class: 'scope', title: scope === 'open' ? 'Needs no token' : `Needs the scope ${scope}`}, scope),
      element('span', {class: 'says'}, ...withCode(route.summary))));
  details.addEventListener('toggle', () => {
    if (details.open && !details.querySelector('.inside')) {
      details.append(element('div', {class: 'inside'}, ...parametersOf(route), ...bodyOf(route),
        element('h3', {}, 'With curl'), sample(curlOf(route)), ...answersOf(route)));
    }
  });
  return details;
}

// ---- the whole page

function routesOf(api) {
  const routes = [];
  for (const [path, byMethod] of Object.entries(api.paths)) {
    for (const method of methods) {
      if (byMethod[method]) routes.push({path, method, ...byMethod[method]});
    }
  }
  return routes;
}

// What a filter looks into: the route's own words and the names of its fields.
function wordsOf(route) {
  const schema = resolve(route.requestBody?.content['application/json']?.schema ?? {});
  const names = [...(route.parameters ?? []).map((each) => each.name), ...Object.keys(schema.properties ?? {})];
  return [route.method, route.path, route.operationId, route.summary, ...route.tags, ...names].join(' ').toLowerCase();
}

function show(api) {
  document.getElementById('version').textContent = api.info.version;
  const [first, ...rest] = api.info.description.split('\n\n');
  main.replaceChildren(element('section', {class: 'intro'}, element('p', {}, ...withCode(first)),
    ...rest.map((text) => element('p', {}, ...withCode(text)))));
  const routes = routesOf(api);
  const shown = [];
  const sections = [];
  for (const tag of api.tags) {
    const ofTag = routes.filter((route) => route.tags.includes(tag.name));
    if (!ofTag.length) continue;
    const id = `group-${tag.name.toLowerCase().replaceAll(' ', '-')}`;
    const section = element('section', {id}, element('h2', {}, tag.name), element('p', {}, ...withCode(tag.description)));
    const list = element('ul', {});
    const part = element('div', {}, element('h2', {}, element('a', {href: `#${id}`}, tag.name)), list);
    for (const route of ofTag) {
      const details = routeDetails(route);
      const link = element('li', {}, element('a', {href: `#${route.operationId}`, title: `${route.method.toUpperCase()} ${route.path}`},
        route.operationId.replaceAll('_', ' ')));
      section.append(details);
      if (!route.operationId.endsWith('_batch')) list.append(link);
      shown.push({details, link, words: wordsOf(route)});
    }
    sections.push({section, part});
    main.append(section);
    nav.append(part);
  }
  return {shown, sections};
}

function applyFilter({shown, sections}) {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const route of shown) {
    const fits = words.every((word) => route.words.includes(word));
    route.details.hidden = !fits;
    route.link.hidden = !fits;
    count += fits ? 1 : 0;
  }
  for (const {section, part} of sections) {
    const empty = !section.querySelector('details.route:not([hidden])');
    section.hidden = empty;
    part.hidden = empty;
  }
  main.querySelector('.intro').hidden = words.length > 0;
  document.getElementById('count').textContent = `${count} routes`;
}

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named) return;
  if (named.matches('details')) named.open = true;
  for (const link of nav.querySelectorAll('a[aria-current]')) link.removeAttribute('aria-current');
  nav.querySelector(`a[href="#${CSS.escape(named.id)}"]`)?.setAttribute('aria-current', 'true');
  named.scrollIntoView();
}

function step(by) {
  const all = [...main.querySelectorAll('details.route:not([hidden]) > summary')];
  const at = all.indexOf(document.activeElement);
  all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape' && document.activeElement === filter) {
    filter.value = '';
    filter.dispatchEvent(new Event('input'));
    filter.blur();
  }
  if (document.activeElement === filter) return;
  const actions = {'/': () => filter.focus(), j: () => step(1), k: () => step(-1)};
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

function startTheme() {
  const themes = ['system', 'light', 'dark'];
  const button = document.getElementById('theme');
  let theme = localStorage.getItem('ff-theme') ?? 'system';
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    localStorage.setItem('ff-theme', theme);
    apply();
  });
  apply();
}

async function start() {
  startTheme();
  const answer = await fetch(new URL('v1/openapi.json', base));
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const api = await answer.json();
  resolve.document = api;
  const page = show(api);
  filter.addEventListener('input', () => applyFilter(page));
  document.addEventListener('keydown', onKey);
  addEventListener('hashchange', openNamed);
  applyFilter(page);
  openNamed();
}

start().catch((error) => {
  main.replaceChildren(element('p', {class: 'failure'}, `The description could not be read: ${error.message}`));
});
