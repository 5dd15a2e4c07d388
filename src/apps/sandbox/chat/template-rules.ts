import { codePoints } from '../../../kernel/text.js';
import { isObject, type JsonObject } from '../../../kernel/objects.js';
import { GraphCode, GraphError, invalidParameter } from './graph-error.js';
import type { ChatUploads } from './uploads.js';

const CATEGORIES = new Set(['MARKETING', 'UTILITY', 'AUTHENTICATION']);
const MEDIA: Readonly<Record<string, RegExp>> = {
  IMAGE: /^image\//,
  VIDEO: /^video\//,
  DOCUMENT: /^application\/pdf$/,
};
const UNEXAMPLED = 2388043;

/** What can be said of a template when it is handed in. */
export interface ReadTemplate {
  name: string;
  language: string;
  category: string;
  components: JsonObject[];
}

const variables = (text: string): number => new Set(text.match(/\{\{\s*\w+\s*\}\}/g) ?? []).size;

const textOf = (value: unknown, limit: number, name: string): string => {
  const text = typeof value === 'string' ? value : '';
  if (text.trim() === '') throw invalidParameter(`Param components: ${name} text is required.`);
  if (codePoints(text) > limit)
    throw invalidParameter(`Param components: ${name} must be at most ${limit} characters.`);
  return text;
};

function checkHeader(component: JsonObject, uploads: ChatUploads): void {
  const { format } = component;
  const example = isObject(component['example']) ? component['example'] : {};
  if (format === 'LOCATION') return;
  if (format === 'TEXT') {
    const wanted = variables(textOf(component['text'], 60, 'header'));
    if (wanted > 1) throw invalidParameter('Param components: a header takes one variable.');
    if (wanted > 0 && listLength(example['header_text']) !== wanted) throw unexampled('HEADER');
    return;
  }
  const type = MEDIA[String(format)];
  if (!type) throw invalidParameter('Param components: header format is unknown.');
  const handles = example['header_handle'];
  const handle: unknown = Array.isArray(handles) ? handles[0] : undefined;
  if (!type.test(uploads.typeOf(handle) ?? '')) throw unexampled('HEADER');
}

function checkBody(component: JsonObject, category: string): void {
  // The upstream writes the body of one-time passwords itself.
  if (category === 'AUTHENTICATION' && component['text'] === undefined) return;
  const wanted = variables(textOf(component['text'], 1_024, 'body'));
  const example = isObject(component['example']) ? component['example'] : {};
  const rows = example['body_text'];
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
  if (wanted > 0 && listLength(row) !== wanted) throw unexampled('BODY');
}

function checkButtons(component: JsonObject): void {
  const { buttons } = component;
  if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 10) {
    throw invalidParameter('Param components: buttons takes 1 to 10.');
  }
  for (const button of buttons as unknown[]) {
    if (!isObject(button) || typeof button['type'] !== 'string') {
      throw invalidParameter('Param components: each button needs a type.');
    }
    if (button['type'] === 'QUICK_REPLY') textOf(button['text'], 25, 'button');
  }
}

const listLength = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

const unexampled = (type: string): GraphError =>
  new GraphError(
    400,
    GraphCode.InvalidParameter,
    'Invalid parameter',
    `Message template "components" param is missing expected field(s): example of ${type}`,
    UNEXAMPLED,
  );

/**
 * Checks components as the upstream does: one body, examples for every variable and for a media header.
 * @throws GraphError
 */
export function readComponents(value: unknown, category: string, uploads: ChatUploads): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isObject)) throw invalidParameter('The parameter components is required.');
  const types = value.map((component) => String(component['type']).toUpperCase());
  if (!types.includes('BODY')) throw invalidParameter('Param components must hold a component of type BODY.');
  if (new Set(types).size !== types.length) throw invalidParameter('Param components holds a type twice.');
  value.forEach((component, index) => {
    const type = types[index];
    if (type === 'HEADER') checkHeader(component, uploads);
    else if (type === 'BODY') checkBody(component, category);
    else if (type === 'BUTTONS') checkButtons(component);
    else if (type !== 'FOOTER') throw invalidParameter('Param components holds an unknown type.');
    else if (category !== 'AUTHENTICATION') textOf(component['text'], 60, 'footer');
  });
  return value;
}

export function readCategory(value: unknown): string {
  if (!CATEGORIES.has(String(value))) {
    throw invalidParameter('Param category must be one of {AUTHENTICATION, MARKETING, UTILITY}.');
  }
  return String(value);
}

/** A new template. @throws GraphError */
export function readTemplate(request: JsonObject, uploads: ChatUploads): ReadTemplate {
  const { name, language } = request;
  if (typeof name !== 'string' || !/^[a-z0-9_]{1,512}$/.test(name)) {
    throw invalidParameter('Param name must be lower-case letters, digits and underscores, at most 512 of them.');
  }
  if (typeof language !== 'string' || !/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/.test(language)) {
    throw invalidParameter('Param language must be one of the supported locales.');
  }
  const category = readCategory(request['category']);
  return { name, language, category, components: readComponents(request['components'], category, uploads) };
}
