import { type Failure, failureKind, type FailureKind, type FailureTerms } from './failure-kinds.js';

/** A failure for people: its cause, and what to do about it. */
export interface FailureWords {
  cause: string;
  remedy: string;
}

const LATER = 'Retry later.';
const CHECK = 'Check the number, or remove it from your list.';
const REMOVE = 'Remove the number from your list.';
const OPERATOR = 'Ask the operator of this service.';
const VALUES = 'Check the values of the template against its placeholders.';
const TEMPLATE = 'Change the template and have it reviewed again.';
const SENDER = 'Use an approved sender id.';
const TOMORROW = 'Retry after a day or more.';

type Words = readonly [codes: string, cause: string, remedy: string];

const CHAT: readonly Words[] = [
  ['131026', 'The number has no chat account, or cannot receive this message', 'Check the number, or send an SMS.'],
  ['131021', 'Sender and recipient are the same number', 'Remove your own number from the list.'],
  ['100 131008 131009 132000 132012 132018', 'Values of the message are missing or wrong', VALUES],
  ['132001', 'The template does not exist in this language', 'Check the name and the language of the template.'],
  ['132005', 'The text with its values filled in is too long', 'Shorten the values.'],
  ['132007', 'The template breaks a content rule of the provider', TEMPLATE],
  ['132015', 'The provider paused the template because of its quality', TEMPLATE],
  ['132016', 'The provider disabled the template because of its quality', 'Create a new template.'],
  ['131030', 'The number is not a test number of the chat account', 'Add it as a test number at the provider.'],
  ['131051', 'The provider does not carry this kind of message', 'Send another kind of message.'],
  ['131050', 'The person does not want marketing messages from you', REMOVE],
  ['130472 131049', 'The provider limits marketing messages to this person', TOMORROW],
  ['131048', 'Too many people blocked or reported your messages', 'Send less, and only to people who agreed.'],
  ['368 131031', 'The provider blocked the chat account', OPERATOR],
  ['131042', 'The chat account has a payment problem at the provider', OPERATOR],
  ['131047', 'The contact wrote more than 24 hours ago', 'Send a template.'],
  ['130429 131056', 'Too many messages in a short time', LATER],
  ['131000 131016', 'The provider had a fault', LATER],
];
const TWILIO: readonly Words[] = [
  ['13224 21211 21214 21217 63024', 'The number is not valid', CHECK],
  ['13225 13227 21215 21216 21408', 'Sending to this country or number is not allowed', OPERATOR],
  ['21612', 'The number cannot be reached from this sender', SENDER],
  ['21614', 'The number is not a mobile number', CHECK],
  ['21610', 'The person replied STOP', REMOVE],
  ['30003', 'The phone is switched off or out of reach', LATER],
  ['30004', 'The number blocks these messages', REMOVE],
  ['30005', 'The number is unknown or out of service', CHECK],
  ['30006', 'The number is a landline, or its carrier cannot be reached', CHECK],
  ['30007', 'The carrier took the message for spam', 'Change the text or the sender.'],
  ['30008', 'The carrier gave no cause', LATER],
  ['63003', 'The number has no chat account', 'Check the number, or send an SMS.'],
  ['63032 63049', 'The provider limits marketing messages to this person', TOMORROW],
];
const CALLS: readonly Words[] = [
  ['404 410 604', 'The number is out of service', CHECK],
  ['484', 'The number is incomplete', CHECK],
  ['403 603', 'The call was declined', LATER],
  ['408 480', 'The phone is switched off or out of reach', LATER],
  ['486', 'The line is busy', LATER],
  ['500 502 503 504', 'The carrier had a fault', LATER],
];
const SMPP_REFUSED: readonly Words[] = [
  ['1', 'The message is too long for the carrier', 'Shorten the text.'],
  ['10', 'The carrier does not accept the sender id', SENDER],
  ['11 80 81', 'The carrier does not accept this number', CHECK],
  ['8 69', 'The carrier had a fault', LATER],
  ['20 88', 'The carrier is busy', LATER],
];
const SMPP_FAILED: readonly Words[] = [
  ['1 5 9', 'The number is unknown or out of service', CHECK],
  ['10 11 21', 'The phone or its contract cannot receive this message', CHECK],
  ['12', 'The network does not admit this phone', REMOVE],
  ['13', 'The number does not accept these messages', REMOVE],
  ['6 8 27', 'The phone is switched off or out of reach', LATER],
  ['31', 'The phone is busy', LATER],
  ['32', 'The memory of the phone is full', LATER],
  ['34', 'The carrier had a fault', LATER],
];

/** Words of codes, by source and time as in `FAILURE_CODES`. */
const BY_CODE = new Map<string, FailureWords>(
  (
    [
      ['chat refused', CHAT],
      ['chat failed', CHAT],
      ['http refused', TWILIO],
      ['http failed', TWILIO],
      ['twilio refused', TWILIO],
      ['twilio failed', [...TWILIO, ...CALLS]],
      ['smpp refused', SMPP_REFUSED],
      ['smpp failed', SMPP_FAILED],
    ] as const
  ).flatMap(([at, table]) =>
    table.flatMap(([codes, cause, remedy]) =>
      codes.split(' ').map((code) => [`${at} ${code}`, { cause, remedy }] as const),
    ),
  ),
);

/** Words of our own texts; a text that goes on begins with its key. */
const BY_TEXT: readonly (readonly [begin: string, FailureWords])[] = [
  ['Suppressed', { cause: 'The number is on your stop list', remedy: 'Nothing was charged. Leave it out.' }],
  ['No route available', { cause: 'No carrier takes messages to this number', remedy: OPERATOR }],
  ['Number too long', { cause: 'The number has more digits than a carrier takes', remedy: CHECK }],
  ['Message too long', { cause: 'The message is too long for the carrier', remedy: 'Shorten the text.' }],
  [
    'Not sent in time',
    { cause: 'The carrier could not be reached in time', remedy: 'Nothing was charged. Retry later.' },
  ],
  ['No delivery receipt', { cause: 'The carrier took the message and never reported its delivery', remedy: LATER }],
];

const BY_KIND: Readonly<Record<FailureKind, FailureWords>> = {
  temporary: { cause: 'The carrier could not deliver the message', remedy: LATER },
  not_today: { cause: 'The provider takes no more messages to this person for now', remedy: TOMORROW },
  permanent: { cause: 'No message reaches this number', remedy: CHECK },
  opt_out: { cause: 'The person does not want messages from you', remedy: REMOVE },
};

/**
 * The one table of codes for people (reference/campaigns#reasons-in-words).
 * @param routes that may have carried the message; the first that knows the code decides
 * @returns the cause, and what to do about it; of an unknown code, what its kind says
 */
export function failureWords(routes: readonly FailureTerms[], failure: Failure): FailureWords {
  const { errorCode, message, isRefused } = failure;
  const ours = BY_TEXT.find(([begin]) => message?.startsWith(begin));
  if (ours) return ours[1];
  const kind = failureKind(routes, failure);
  for (const { source, own } of errorCode === null ? [] : routes) {
    // what a route says of its carrier's codes stands above the usual meaning
    if (own.has(String(errorCode))) break;
    const words = BY_CODE.get(`${source} ${isRefused ? 'refused' : 'failed'} ${errorCode}`);
    if (words) return words;
  }
  if (kind === 'temporary' && isRefused) return { cause: 'The carrier refused the message', remedy: OPERATOR };
  return BY_KIND[kind];
}
