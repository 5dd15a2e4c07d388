import { fieldErrors } from '../../../kernel/errors.js';
import { codePoints, readText, textOrNull } from '../../../kernel/text.js';
import type { Permissions } from './account.js';
import { isEmail, normalEmail } from './identity.js';
import { registrationPasswordFault, unconfirmed } from './password-rules.js';

/** Credits a new account starts with (reference/accounts#starting-state). */
export const STARTING_CREDITS = { chat_marketing_credits: 10, chat_utility_credits: 10, voice_credits: 10 } as const;

/** Name of the team every account gets. */
export const DEFAULT_TEAM = 'Default';

/** A new account, checked and normalised: what `AccountRegistrar.create` takes. */
export interface NewAccount {
  /** `^[A-Za-z0-9._-]{3,64}$`, trimmed */
  username: string;
  /** made by PasswordHasher before the transaction begins: it takes long */
  passwordHash: string;
  firstname: string;
  lastname: string;
  /** lower case */
  email?: string | null;
  /** digits */
  mobileNo?: string | null;
  country?: string | null;
  /** default `client` */
  userType?: string | null;
  parentId?: number | null;
  /** default true */
  isActive?: boolean;
  expiresAt?: Date | null;
  /** IANA name; absent = APP_TIME_ZONE */
  timeZone?: string | null;
  /** who made it and set its password (`kernel/maker.ts`); default: it registered itself */
  createdBy?: string | null;
  /** what staff chose when they made it (reference/accounts#set-by-staff); default: nothing */
  setByStaff?: readonly string[];
  staffExpiresAt?: Date | null;
  /** default: the set of reference/accounts#starting-state */
  permissions?: Permissions;
  /** by balance; default: `STARTING_CREDITS` */
  startingCredits?: Partial<Record<string, number>>;
}

const LONGEST_NAME = 100;
const REQUIRED = ['firstname', 'lastname', 'email', 'username', 'password', 'password_confirmation'] as const;

/** What a client sent to register, as far as it can be judged without the database. */
export interface RegistrationForm {
  firstname: string;
  lastname: string;
  /** valid, trimmed, lower case */
  email: string;
  /** trimmed; judged after the e-mail's uniqueness, as the table's order wants it */
  username: string;
  password: string;
  /** as given; undefined = none, null = of a wrong type */
  mobileNo: string | null | undefined;
  country: string | null;
}

/**
 * Reads a registration (reference/authentication#registration). Order: `<field> is required` in the table's order, the
 * password's rules, the confirmation, then our own checks of lengths and of the e-mail.
 * @throws AppError with the text of the first fault
 */
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
  return { firstname, lastname, email, username, password, mobileNo: mobile(body), country: country(body) };
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

/** Names and country have 100 characters in the database. */
export function refuseLong(field: string, text: string): void {
  if (codePoints(text) > LONGEST_NAME) throw fieldErrors.tooLong(field, LONGEST_NAME);
}
