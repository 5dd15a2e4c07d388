import { fieldErrors } from '../../../kernel/errors.js';
import { codePoints, readText, textOrNull } from '../../../kernel/text.js';
import type { Permissions } from './account.js';
import type { GuardTerms } from './guard-terms.js';
import { isEmail, normalEmail } from './identity.js';
import { registrationPasswordFault, unconfirmed } from './password-rules.js';

/** reference/accounts#starting-state */
export const STARTING_CREDITS = { chat_marketing_credits: 10, chat_utility_credits: 10, voice_credits: 10 } as const;

export const DEFAULT_TEAM = 'Default';

/** A validated, normalised account for `AccountRegistrar.create`. */
export interface NewAccount {
  username: string;
  /** hash before the transaction, because hashing is slow */
  passwordHash: string;
  firstname: string;
  lastname: string;
  email?: string | null;
  mobileNo?: string | null;
  /** as given at registration */
  country?: string | null;
  /** ISO 3166 */
  countryCode?: string | null;
  userType?: string | null;
  parentId?: number | null;
  isActive?: boolean;
  expiresAt?: Date | null;
  timeZone?: string | null;
  /** maker and password setter (`kernel/maker.ts`); default: self-registered */
  createdBy?: string | null;
  setByStaff?: readonly string[];
  staffExpiresAt?: Date | null;
  permissions?: Permissions;
  guard?: GuardTerms | null;
  requireSender?: boolean;
  startingCredits?: Partial<Record<string, number>>;
  /** true: it may only read, and gets its starting credits with the proof (`AccountRegistrar.prove`) */
  proofDue?: boolean;
}

const LONGEST_NAME = 100;
const REQUIRED = ['firstname', 'lastname', 'email', 'username', 'password', 'password_confirmation'] as const;

/** Registration data validated without the database. */
export interface RegistrationForm {
  firstname: string;
  lastname: string;
  email: string;
  /** trimmed only: validated after the e-mail's uniqueness, in documented order */
  username: string;
  password: string;
  /** undefined = none, null = wrong type */
  mobileNo: string | null | undefined;
  country: string | null;
  /** unchecked; null = not given */
  timeZone: string | null;
}

/** Validates the form in the documented order (reference/authentication#registration). @throws AppError for the first error */
export function readRegistration(body: Record<string, unknown>): RegistrationForm {
  const texts = {} as Record<(typeof REQUIRED)[number], string>;
  for (const field of REQUIRED) {
    const text = textOrNull(body[field]);
    if (text === null) throw fieldErrors.required(field);
    texts[field] = text;
  }
  const fault = registrationPasswordFault(texts.password);
  if (fault !== null) throw fault();
  if (texts.password !== texts.password_confirmation) throw unconfirmed();
  refuseLong('firstname', texts.firstname);
  refuseLong('lastname', texts.lastname);
  const email = normalEmail(texts.email);
  if (!isEmail(email)) throw fieldErrors.invalid('email');
  const { firstname, lastname, password } = texts;
  const username = texts.username.trim();
  return {
    firstname,
    lastname,
    email,
    username,
    password,
    mobileNo: mobile(body),
    country: country(body),
    timeZone: textOrNull(body['time_zone']),
  };
}

function mobile(body: Record<string, unknown>): string | null | undefined {
  const read = readText(body['mobile_no']);
  if (read.kind === 'empty') return undefined;
  return read.kind === 'text' ? read.value : null;
}

function country(body: Record<string, unknown>): string | null {
  const read = readText(body['country']);
  if (read.kind === 'fault') throw fieldErrors.invalid('country');
  if (read.kind === 'empty') return null;
  refuseLong('country', read.value);
  return read.value;
}

/** @throws AppError for names and countries over the column's 100 characters */
export function refuseLong(field: string, text: string): void {
  if (codePoints(text) > LONGEST_NAME) throw fieldErrors.tooLong(field, LONGEST_NAME);
}
