import { isUserId } from '../../../kernel/contacts.js';
import { codePoints } from '../../../kernel/text.js';
import { isObject, type JsonObject } from '../../../kernel/json-values.js';
import { demand, expectValid, GraphCode, GraphError, invalidParameter } from './graph-request.js';

type Check = (value: unknown, type: string) => void;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const atMost = (value: unknown, limit: number): boolean => isText(value) && codePoints(value) <= limit;

const checkText: Check = (value) => {
  demand(isObject(value) && isText(value['body']), "The parameter text['body'] is required.");
  expectValid(atMost(value['body'], 4_096), "Param text['body'] must be at most 4096 characters long.");
};

const checkMedia: Check = (value, type) => {
  demand(isObject(value), `The parameter ${type} is required.`);
  const { id, link } = value;
  demand(isText(id) || isText(link), `${type}: one of id or link is required.`);
  expectValid(isText(id) || isWebAddress(link), `${type}['link'] must be an http or https URL.`);
  expectValid(value['caption'] === undefined || atMost(value['caption'], 1_024), `${type}['caption'] is too long.`);
};

const checkLocation: Check = (value) => {
  demand(isObject(value), 'The parameter location is required.');
  for (const [name, limit] of [
    ['latitude', 90],
    ['longitude', 180],
  ] as const) {
    const given = value[name];
    demand(given !== undefined && given !== null && given !== '', `location['${name}'] is required.`);
    expectValid(Math.abs(Number(given)) <= limit, `location['${name}'] must be a number of degrees.`);
  }
};

const checkContacts: Check = (value) => {
  demand(Array.isArray(value) && value.length > 0, 'The parameter contacts is required.');
  for (const contact of value as unknown[]) {
    expectValid(isObject(contact), 'Each contact must be an object.');
    const { name } = contact;
    demand(isObject(name) && isText(name['formatted_name']), "contacts[]['name']['formatted_name'] is required.");
  }
};

const checkReaction: Check = (value) => {
  demand(isObject(value) && isText(value['message_id']), "The parameter reaction['message_id'] is required.");
  demand(typeof value['emoji'] === 'string', "The parameter reaction['emoji'] is required.");
};

const checkButtons = (action: JsonObject): void => {
  const { buttons } = action;
  expectValid(Array.isArray(buttons) && buttons.length >= 1 && buttons.length <= 3, 'action.buttons takes 1 to 3.');
  const titles = new Set<unknown>();
  const ids = new Set<unknown>();
  for (const button of buttons as unknown[]) {
    expectValid(isObject(button) && button['type'] === 'reply', 'Each button must be of type reply.');
    const { reply } = button;
    demand(isObject(reply) && isText(reply['id']) && isText(reply['title']), 'A reply needs id and title.');
    expectValid(atMost(reply['id'], 256), 'Button id must be at most 256 characters long.');
    expectValid(atMost(reply['title'], 20), 'Button title must be at most 20 characters long.');
    titles.add(reply['title']);
    ids.add(reply['id']);
  }
  expectValid(titles.size === buttons.length && ids.size === buttons.length, 'Button ids and titles must differ.');
};

const checkList = (action: JsonObject): void => {
  const { button, sections } = action;
  expectValid(atMost(button, 20), 'action.button must be 1 to 20 characters long.');
  expectValid(
    Array.isArray(sections) && sections.length >= 1 && sections.length <= 10,
    'action.sections takes 1 to 10.',
  );
  let rowCount = 0;
  for (const section of sections as unknown[]) {
    expectValid(isObject(section) && Array.isArray(section['rows']), 'Each section needs rows.');
    expectValid(sections.length === 1 || isText(section['title']), 'Each of several sections needs a title.');
    expectValid(section['title'] === undefined || atMost(section['title'], 24), 'Section title is too long.');
    for (const row of section['rows'] as unknown[]) {
      rowCount += 1;
      expectValid(isObject(row) && atMost(row['id'], 200), 'Row id must be 1 to 200 characters long.');
      expectValid(atMost(row['title'], 24), 'Row title must be 1 to 24 characters long.');
      expectValid(row['description'] === undefined || atMost(row['description'], 72), 'Row description is too long.');
    }
  }
  expectValid(rowCount >= 1 && rowCount <= 10, 'A list takes 1 to 10 rows in all.');
};

const checkUrlButton = (action: JsonObject): void => {
  expectValid(action['name'] === 'cta_url', 'action.name must be cta_url.');
  const { parameters } = action;
  demand(isObject(parameters), 'action.parameters is required.');
  expectValid(atMost(parameters['display_text'], 20), 'display_text must be 1 to 20 characters long.');
  expectValid(isWebAddress(parameters['url']), 'url must be an http or https URL.');
};

const INTERACTIVE: Readonly<Record<string, (action: JsonObject) => void>> = {
  button: checkButtons,
  list: checkList,
  cta_url: checkUrlButton,
};
const FURTHER_INTERACTIVE = new Set([
  'address_message',
  'call_permission_request',
  'carousel',
  'catalog_message',
  'flow',
  'location_request_message',
  'product',
  'product_list',
  'voice_call',
]);

const checkInteractive: Check = (value) => {
  demand(isObject(value), 'The parameter interactive is required.');
  const { type, action, body, footer } = value;
  const check = INTERACTIVE[String(type)];
  expectValid(check ?? FURTHER_INTERACTIVE.has(String(type)), 'interactive.type is unknown.');
  demand(isObject(action), 'interactive.action is required.');
  if (check) demand(isObject(body) && isText(body['text']), "interactive['body']['text'] is required.");
  if (isObject(body)) expectValid(atMost(body['text'], type === 'list' ? 4_096 : 1_024), 'The body is too long.');
  if (footer !== undefined) {
    expectValid(isObject(footer) && atMost(footer['text'], 60), 'The footer must be 1 to 60 characters long.');
  }
  check?.(action);
};

const COMPONENTS = new Set(['header', 'body', 'button', 'carousel', 'limited_time_offer', 'order_status']);

const checkTemplate: Check = (value) => {
  demand(isObject(value) && isText(value['name']), "The parameter template['name'] is required.");
  const { language, components = [] } = value;
  demand(isObject(language) && isText(language['code']), "The parameter template['language']['code'] is required.");
  expectValid(Array.isArray(components), 'template.components must be an array.');
  for (const component of components as unknown[]) {
    expectValid(isObject(component) && COMPONENTS.has(String(component['type'])), 'Component type is unknown.');
    if (component['type'] === 'button') {
      demand(isText(component['sub_type']), 'A button component needs sub_type.');
      demand(component['index'] !== undefined, 'A button component needs index.');
    }
    const { parameters = [] } = component;
    expectValid(Array.isArray(parameters), 'Component parameters must be an array.');
    for (const parameter of parameters as unknown[]) checkParameter(parameter);
  }
};

function checkParameter(parameter: unknown): void {
  demand(isObject(parameter) && isText(parameter['type']), 'Each parameter needs a type.');
  const { type } = parameter;
  if (type === 'text') demand(isText(parameter['text']), 'A text parameter needs text.');
  if (type === 'image' || type === 'video' || type === 'document') checkMedia(parameter[type], type);
}

const CHECKS: Readonly<Record<string, Check>> = {
  text: checkText,
  image: checkMedia,
  audio: checkMedia,
  video: checkMedia,
  document: checkMedia,
  sticker: checkMedia,
  location: checkLocation,
  contacts: checkContacts,
  interactive: checkInteractive,
  reaction: checkReaction,
  template: checkTemplate,
};

export interface ReadMessage {
  to: string;
  type: string;
  content: unknown;
  ref: string | null;
}

/** Validates a message in the provider's order: product, recipient, type, content. Throws GraphError. */
export function readMessage(request: JsonObject): ReadMessage {
  const { messaging_product: product, to, recipient, type = 'text', context } = request;
  const ref = request['biz_opaque_callback_data'] ?? null;
  if (product === undefined) throw invalidParameter('The parameter messaging_product is required.');
  if (product !== 'whatsapp') {
    throw invalidParameter(`Param messaging_product must be one of {WHATSAPP} - got ${JSON.stringify(product)}.`);
  }
  const address = to === undefined || to === null || to === '' ? userIdOf(recipient) : numberOf(to);
  const check = CHECKS[String(type)];
  if (!check) {
    const known = Object.keys(CHECKS).join(', ').toUpperCase();
    throw invalidParameter(`Param type must be one of {${known}} - got ${JSON.stringify(type)}.`);
  }
  const content = request[String(type)];
  check(content, String(type));
  if (context !== undefined) {
    expectValid(isObject(context) && isText(context['message_id']), "context['message_id'] is required.");
  }
  expectValid(ref === null || atMost(ref, 512), 'biz_opaque_callback_data must be at most 512 characters long.');
  return { to: address, type: String(type), content, ref: ref as string | null };
}

function isWebAddress(value: unknown): boolean {
  return isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

const INVALID = '(#100) Invalid parameter';

function numberOf(to: unknown): string {
  const digits = typeof to === 'string' || typeof to === 'number' ? String(to).replace(/[+\s()-]/g, '') : '';
  if (/^[0-9]{1,30}$/.test(digits)) return digits;
  throw new GraphError(400, GraphCode.InvalidParameter, INVALID, 'Recipient is no phone number.');
}

// `recipient` counts only without `to`.
function userIdOf(recipient: unknown): string {
  if (recipient === undefined || recipient === null || recipient === '') {
    throw invalidParameter('The parameter to is required.');
  }
  if (typeof recipient === 'string' && isUserId(recipient)) return recipient;
  throw new GraphError(400, GraphCode.InvalidParameter, INVALID, 'Recipient is no business-scoped user ID.');
}
