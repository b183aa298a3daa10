// JSON Schemas as tables of fields. What a field holds inside is drawn when it is opened: schemas may hold themselves.
import {element} from './element.js';

// What a $ref of the document refers to, or the thing itself.
export function resolve(thing) {
  if (!thing?.$ref) return thing;
  const steps = thing.$ref.slice(2).split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce((at, step) => at[step], resolve.document);
}

// Text with `code` in it.
export function withCode(text) {
  return (text ?? '').split(/(`[^`]*`)/).filter(Boolean)
    .map((part) => (part.startsWith('`') ? element('code', {}, part.slice(1, -1)) : part));
}

function nameOf(schema) {
  return schema.$ref?.split('/').pop();
}

function typeOf(schema) {
  if (schema.$ref) return nameOf(schema);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return 'one of';
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    return `map of ${typeOf(schema.additionalProperties)}`;
  }
  if (schema.oneOf || schema.anyOf) {
    const kinds = [...new Set((schema.oneOf ?? schema.anyOf).map(typeOf))];
    return kinds.length > 3 ? 'one of several' : kinds.join(' or ');
  }
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type ?? 'any JSON';
  return schema.contentEncoding ?? schema.format ? `${type} (${schema.contentEncoding ?? schema.format})` : type;
}

function range(low, high, unit) {
  if (low === undefined && high === undefined) return [];
  const show = (number) => number.toLocaleString('en');
  if (low === undefined) return [`at most ${show(high)}${unit}`];
  if (high === undefined) return [`at least ${show(low)}${unit}`];
  return [`${show(low)} to ${show(high)}${unit}`];
}

function limitsOf(schema) {
  const limits = [
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minLength, schema.maxLength, ' bytes'),
    ...range(schema.minItems, schema.maxItems, ' items'),
  ];
  if (schema.writeOnly) limits.push('secret');
  return limits.flatMap((limit) => [', ', limit]);
}

function valuesOf(schema) {
  const values = schema.enum ?? schema.items?.enum;
  if (!values) return [];
  return values.flatMap((value) => [' ', element('code', {}, String(value))]);
}

// The part of a schema that has fields of its own; nothing for a plain value.
function insideOf(schema) {
  if (schema.type === 'array') return insideOf(schema.items ?? {});
  if (typeof schema.additionalProperties === 'object') return insideOf(schema.additionalProperties);
  const target = resolve(schema);
  const plain = (one) => !insideOf(one);
  if (target.properties) return schema;
  const choices = target.oneOf ?? target.anyOf ?? target.allOf;
  if (choices && !choices.every(plain)) return schema;
  return schema.$ref && (target.oneOf || target.enum) ? schema : undefined;
}

function fieldRow(name, schema, required) {
  const inside = insideOf(schema);
  const target = schema.$ref ? {...resolve(schema), ...schema} : schema;
  const cell = element('td', {},
    element('span', {class: 'type'}, typeOf(schema), ...(inside && schema.$ref ? [] : valuesOf(schema)), ...limitsOf(schema),
      ...('default' in schema && schema.default !== '' ? [', default ', element('code', {}, JSON.stringify(schema.default))] : []),
      ...(schema.place ? [`, in the ${schema.place}`] : [])),
    element('span', {class: 'note'}, ...withCode(target.description)));
  if (inside) {
    const more = element('details', {class: 'inner'}, element('summary', {}, nameOf(inside) ?? 'its fields'));
    more.addEventListener('toggle', () => {
      if (more.open && more.children.length === 1) more.append(...fieldsOf(inside));
    });
    const count = Object.keys(inside.properties ?? {}).length;
    more.open = !inside.$ref && count >= 1 && count <= 4;
    cell.append(more);
  }
  return element('tr', {},
    element('th', {scope: 'row'}, element('span', {class: 'name'}, name),
      ...(required ? [' ', element('span', {class: 'must'}, 'required')] : [])), cell);
}

function choiceTitle(choice, index) {
  const name = nameOf(choice);
  if (name) return name;
  const description = resolve(choice).description;
  return description ? `${index}. ${description}` : `${index}.`;
}

// A field of which one form must be given counts as required.
function choicesOf(choices) {
  const open = choices.length <= 4;
  return choices.flatMap((choice, index) => {
    const target = resolve(choice);
    if (!insideOf(choice)) {
      return [element('div', {class: 'choice'}, index ? 'or ' : '', element('span', {class: 'type'}, typeOf(choice)),
        ...valuesOf(target), ' ', ...withCode(target.description))];
    }
    if (open && !choice.$ref) {
      return [element('div', {class: 'choice'}, index ? 'or an object with' : 'An object with'), ...fieldsOf(choice)];
    }
    const more = element('details', {class: 'inner'}, element('summary', {}, choiceTitle(choice, index + 1)));
    more.addEventListener('toggle', () => {
      if (more.open && more.children.length === 1) more.append(...fieldsOf(choice));
    });
    return [more];
  });
}

// What a value of the schema looks like.
export function fieldsOf(schema) {
  const target = resolve(schema);
  if (target.type === 'array') {
    return [element('div', {class: 'type'}, typeOf(target), ...limitsOf(target)), ...(insideOf(target) ? fieldsOf(target.items) : [])];
  }
  const parts = [];
  const properties = Object.entries(target.properties ?? {});
  if (properties.length) {
    const required = new Set(target.required ?? []);
    const rows = properties.map(([name, each]) => fieldRow(name, each, required.has(name)));
    parts.push(element('table', {class: 'fields'}, element('tbody', {}, ...rows)));
  }
  for (const rule of target.allOf ?? []) {
    const either = rule.anyOf?.every((each) => each.required);
    if (either) {
      const names = rule.anyOf.flatMap((each) => each.required);
      parts.push(element('div', {class: 'choice'}, 'Required: ',
        ...names.flatMap((name, index) => [index ? ' or ' : '', element('code', {}, name)])));
    } else {
      parts.push(...fieldsOf(rule));
    }
  }
  const choices = target.oneOf ?? target.anyOf;
  if (choices) parts.push(...choicesOf(choices));
  if (!parts.length) parts.push(element('div', {class: 'type'}, typeOf(target), ...valuesOf(target), ...limitsOf(target)));
  return parts;
}
