import type { TwimlElement } from './twiml-document.js';

const URL_METHODS = ['action', 'method'];
const RECORDING = ['recordingStatusCallback', 'recordingStatusCallbackMethod', 'recordingStatusCallbackEvent'];

/** Which attributes and children an element may have. */
interface Rule {
  attributes: readonly string[];
  children: readonly string[];
  /** integers, with their bounds */
  numbers?: Readonly<Record<string, readonly [number, number]>>;
}

/** The part of TwiML that a keypad menu needs, as the network documents it. */
const RULES: Readonly<Record<string, Rule>> = {
  Response: {
    attributes: [],
    children: ['Play', 'Say', 'Pause', 'Gather', 'Dial', 'Record', 'Redirect', 'Hangup', 'Reject'],
  },
  Play: { attributes: ['loop', 'digits'], children: [] },
  Say: { attributes: ['voice', 'language', 'loop'], children: [] },
  Pause: { attributes: ['length'], children: [], numbers: { length: [1, 600] } },
  Gather: {
    attributes: [...URL_METHODS, 'input', 'timeout', 'finishOnKey', 'numDigits', 'actionOnEmptyResult'],
    children: ['Play', 'Say', 'Pause'],
    numbers: { timeout: [0, 600], numDigits: [1, 1_000] },
  },
  Dial: {
    attributes: [
      ...URL_METHODS,
      'callerId',
      'timeLimit',
      'timeout',
      'hangupOnStar',
      'record',
      'answerOnBridge',
      ...RECORDING,
    ],
    children: ['Number'],
    numbers: { timeLimit: [1, 14_400], timeout: [5, 600] },
  },
  Number: { attributes: ['sendDigits', 'url', 'method'], children: [] },
  Record: {
    attributes: [...URL_METHODS, 'timeout', 'finishOnKey', 'maxLength', 'playBeep', 'trim', ...RECORDING],
    children: [],
    numbers: { timeout: [0, 600], maxLength: [1, 14_400] },
  },
  Redirect: { attributes: ['method'], children: [] },
  Hangup: { attributes: [], children: [] },
  Reject: { attributes: ['reason'], children: [] },
};

/** What the network would complain about in its debugger (errors 12200 and on), for the element and all in it. */
export function faultsOf(element: TwimlElement): string[] {
  const rule = Object.hasOwn(RULES, element.name) ? RULES[element.name] : undefined;
  if (!rule) return [`<${element.name}> is no verb`];
  const unknown = Object.keys(element.attributes).filter((name) => !rule.attributes.includes(name));
  const misplaced = element.children.filter(({ name }) => !rule.children.includes(name));
  const odd = Object.entries(rule.numbers ?? {}).filter(([name, [least, most]]) => {
    const value = element.attributes[name];
    return value !== undefined && !(/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most);
  });
  return [
    ...unknown.map((name) => `<${element.name}> has no attribute ${name}`),
    ...odd.map(([name]) => `<${element.name} ${name}> is out of range`),
    ...misplaced.map(({ name }) => `<${element.name}> takes no <${name}>`),
    ...element.children.filter((child) => !misplaced.includes(child)).flatMap(faultsOf),
  ];
}
