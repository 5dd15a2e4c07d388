import type { DocumentedError } from '../../../kernel/define-error.js';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { type ClockChange, nextTimeOfDay } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { readRecipient } from '../../../kernel/phone-number.js';
import { cutCodePoints, isTooLargeJson } from '../../../kernel/text.js';
import type { MessageContent, SessionMessage } from './session-message.js';
import { contentTooLarge, recipientErrors } from './session-rows.js';
import { V5_CONTENT_ERRORS, v5Content } from './v5-content.js';
import { given, optionalText, requiredText, type V5Body, v5Faults } from './v5-fields.js';

/** A v5 session message (reference/session-messages#v5-paths). */
export interface V5Session extends SessionMessage {
  /** broadcast_name, cut at 100 characters */
  label: string | null;
  /** null = at once */
  scheduledAt: Date | null;
  /** of the schedule's day, where it has an effect on it */
  clockChange: ClockChange | null;
}

const SERVICE = 'chat_credits';
const LABEL_LENGTH = 100;

/** Those of `contacts`, which holds the one number here. */
const v5RecipientErrors = {
  invalid: recipientErrors.invalid.with({ field: 'contacts' }),
  length: recipientErrors.length.with({ field: 'contacts' }),
};

/**
 * Reads a v5 request: service, recipient, schedule, then what it says (reference/session-messages#v5-errors).
 * @param zone IANA zone in which `schedule_time` is meant
 * @param at the moment of the request
 * @throws AppError `invalid` for the first fault
 */
export function readV5Session(body: V5Body, zone: string, at: Date): V5Session {
  if (given(body, 'brodcast_service') && body['brodcast_service'] !== SERVICE) throw v5Faults.service();
  const to = recipientOf(body);
  const schedule = scheduleOf(body, zone, at);
  return {
    to,
    scheduledAt: schedule?.at ?? null,
    clockChange: schedule?.change ?? null,
    content: contentOf(body),
    label: labelOf(body),
  };
}

function contentOf(body: V5Body): MessageContent {
  const content = v5Content(body);
  if (isTooLargeJson(content)) throw contentTooLarge();
  return content;
}

/** `recipient` is ours and counts where there is no number. */
function recipientOf(body: V5Body): string {
  const userId = given(body, 'contacts') ? null : optionalText(body, 'recipient');
  if (userId !== null) {
    if (!isUserId(userId.trim())) throw recipientErrors.userId();
    return userId.trim();
  }
  requiredText(body, 'contacts');
  const read = readRecipient(body['contacts']);
  if ('fault' in read) throw v5RecipientErrors[read.fault]();
  return read.digits;
}

function scheduleOf(body: V5Body, zone: string, at: Date): ReturnType<typeof nextTimeOfDay> {
  const text = optionalText(body, 'schedule_time');
  if (text === null) return null;
  const moment = nextTimeOfDay(text.trim(), zone, at);
  if (!moment) throw fieldErrors.invalid('schedule_time');
  return moment;
}

function labelOf(body: V5Body): string | null {
  const label = optionalText(body, 'broadcast_name');
  return label === null ? null : cutCodePoints(label, LABEL_LENGTH);
}

/** What a v5 request may be refused for by its fields alone, in the order in which they are judged. */
export const V5_FORM_ERRORS: readonly DocumentedError[] = [
  v5Faults.service,
  fieldErrors.required.shown('contacts').because('missing, and no `recipient`'),
  v5RecipientErrors.invalid.because('invalid after cleanup, or more than one number'),
  v5RecipientErrors.length,
  recipientErrors.userId.because('no user id, and no `contacts`'),
  fieldErrors.invalid.shown('schedule_time').because('not HH:MM:SS'),
  ...V5_CONTENT_ERRORS,
  contentTooLarge.because('the whole content, as JSON'),
];
