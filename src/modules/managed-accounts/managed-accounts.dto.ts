import { ApiProperty } from '@nestjs/swagger';
import {
  AnswerOf,
  OptionalFlag,
  OptionalFlags,
  OptionalText,
  OptionalTexts,
  OptionalWord,
  PageOf,
  RequiredAmount,
  RequiredText,
  RequiredWord,
} from '../../platform/http/index.js';
import { ManagedAccountAnswer, NUMBER_CHECKS, PERMISSIONS, REVOKE_CREATED, USER_TYPES } from '../accounts/index.js';
import { type BalanceName, BALANCES } from '../credits/index.js';

const EXPIRY = {
  pattern: String.raw`^\d{4}(-\d{2}-\d{2}$|.*[ T]\d{2})`,
  example: '2027-12-31',
  description: 'YYYY-MM-DD (ends with that day), YYYY-MM-DD HH:MM:SS in the account’s time zone, or ISO 8601',
};
const ZONE = { example: 'Asia/Kolkata', description: 'IANA name; none: APP_TIME_ZONE' };
const COUNTRY = {
  example: 'IN',
  description: 'ISO 3166 code by which national numbers are read; empty: not known',
};
const CURRENT = {
  example: 'Sunny-Day-7',
  description: 'The own password of the acting person; only to make or change an account of staff',
};
const ALLOWED_ROUTES = {
  example: ['carrier-1'],
  description: 'The only routes that it may use, by name, at most 100; null: all. For super and admin alone',
};
const RELEASED = {
  example: ['time_zone'],
  description:
    'Fields of `set_by_staff` that the reseller may change again: names of fields, or `permissions.<name>`. For super and admin alone',
};
const PARENT = { example: 'reseller1', description: 'A reseller’s own clients always have it as parent' };

export const ACCOUNTS = { name: 'accounts', positions: 'ids' } as const;
export const SEARCH = {
  name: 'search',
  required: false,
  description: 'Part of username, e-mail, mobile number or name, looked for in the 10,000 newest; next_cursor goes on',
} as const;

/** Swagger examples; the fields' own examples combined would change everything at once. */
export const CREATE_ACCOUNT_EXAMPLES = {
  client: {
    summary: 'A client',
    value: { username: 'jane.doe', password: 'Sunny-Day-7', firstname: 'Jane', lastname: 'Doe' },
  },
  reseller: {
    summary: 'A reseller, with everything (super only)',
    value: {
      username: 'reseller1',
      password: 'Sunny-Day-7',
      current_password: 'Sunny-Day-7',
      firstname: 'Rita',
      lastname: 'Roe',
      email: 'rita@example.com',
      mobile_no: '919876543211',
      user_type: 'reseller',
      expires_at: '2035-12-31',
      is_active: true,
      time_zone: 'Asia/Kolkata',
    },
  },
};

export const CHANGE_ACCOUNT_EXAMPLES = {
  expiry: {
    summary: 'When it ends, and its time zone',
    value: { expires_at: '2035-12-31', time_zone: 'Asia/Kolkata' },
  },
  closed: { summary: 'Closed: its campaigns pause', value: { is_active: false } },
  opened: { summary: 'Open again, for good', value: { is_active: true, expires_at: null } },
  strict: {
    summary: 'Its token is always needed, also for its reports',
    value: { require_token: true, public_lookup: false, refund_failed: true },
  },
  routes: { summary: 'It may use every route', value: { allowed_routes: null, number_check: 'warn' } },
  permissions: { summary: 'Permissions', value: { permissions: { client_management: false } } },
  password: { summary: 'A new password, which ends every token', value: { password: 'Sunny-Day-8' } },
};

export class CreateAccountRequest {
  @RequiredText('username', 'jane.doe')
  username!: string;

  @RequiredText('password', 'Sunny-Day-7')
  password!: string;

  @RequiredText('firstname', 'Jane')
  firstname!: string;

  @RequiredText('lastname', 'Doe')
  lastname!: string;

  @OptionalText('email', { example: 'jane@example.com' })
  email?: string | null;

  @OptionalText('mobile_no', { example: '919876543210' })
  mobile_no?: string | null;

  @OptionalWord('user_type', USER_TYPES, 'client')
  user_type?: string | null;

  @OptionalText('parent_username', PARENT)
  parent_username?: string | null;

  @OptionalText('expires_at', EXPIRY)
  expires_at?: string | null;

  @OptionalFlag('is_active', true)
  is_active?: boolean | null;

  @OptionalText('time_zone', ZONE)
  time_zone?: string | null;

  @OptionalText('country', { ...COUNTRY, description: 'ISO 3166 code; absent: that of its time zone' })
  country?: string | null;

  @OptionalText('current_password', CURRENT)
  current_password?: string | null;
}

/** Body of PATCH /accounts/:username: null or '' clears some fields, null clears allowed_routes (reference/admin#accounts). */
export class ChangeAccountRequest {
  @OptionalFlag('is_active', true)
  is_active?: boolean | null;

  @OptionalText('expires_at', EXPIRY)
  expires_at?: string | null;

  @OptionalText('parent_username', PARENT)
  parent_username?: string | null;

  @OptionalWord('user_type', USER_TYPES, 'client')
  user_type?: string | null;

  @OptionalFlag('require_token', false)
  require_token?: boolean | null;

  @OptionalFlag('require_sender', false)
  require_sender?: boolean | null;

  @OptionalFlag('refund_failed', false)
  refund_failed?: boolean | null;

  @OptionalFlag('refund_refused', true, 'What a carrier refuses in its answer to the submit is refunded')
  refund_refused?: boolean | null;

  @OptionalFlag('public_lookup', true)
  public_lookup?: boolean | null;

  @OptionalText('time_zone', ZONE)
  time_zone?: string | null;

  @OptionalText('rate_plan', { example: 'wholesale', description: 'null or empty: the prices that hold for all' })
  rate_plan?: string | null;

  @OptionalTexts('allowed_routes', ALLOWED_ROUTES)
  allowed_routes?: string[] | null;

  @OptionalWord('number_check', NUMBER_CHECKS, 'warn')
  number_check?: string | null;

  @OptionalText('country', COUNTRY)
  country?: string | null;

  @OptionalFlag('strict_numbers', false)
  strict_numbers?: boolean | null;

  @OptionalFlags('permissions', PERMISSIONS)
  permissions?: Record<string, boolean> | null;

  @OptionalText('password', { example: 'Sunny-Day-8', description: 'Ends every token issued before' })
  password?: string | null;

  @OptionalFlag('revoke_api_keys', false, 'With password: the keys of the account are revoked')
  revoke_api_keys?: boolean | null;

  @OptionalFlag('revoke_users', false, 'With password: the people under the account are made inactive')
  revoke_users?: boolean | null;

  @OptionalFlag('revoke_created', false, REVOKE_CREATED)
  revoke_created?: boolean | null;

  @OptionalTexts('released_fields', RELEASED)
  released_fields?: string[] | null;

  @OptionalText('current_password', CURRENT)
  current_password?: string | null;
}

export class AccountAnswer extends AnswerOf(ManagedAccountAnswer) {}

export class ChangedAccountAnswer extends AccountAnswer {
  @ApiProperty({ example: 'Account created successfully' })
  message!: string;
}

export class AccountPageAnswer extends PageOf(ManagedAccountAnswer) {}

class OpenAccountsData {
  @ApiProperty({ example: 12, description: 'Accounts in use to which a username alone sends, from any address' })
  accounts!: number;

  @ApiProperty({ example: 9, description: 'Those of them whose owner has not chosen yet' })
  undecided!: number;
}

export class OpenAccountsAnswer extends AnswerOf(OpenAccountsData) {}

export const MOST_AT_ONCE = 1_000_000_000;

export class AdjustCreditsRequest {
  @RequiredWord('balance', BALANCES, 'gsm_credits')
  balance!: BalanceName;

  /** negative takes back */
  @RequiredAmount('amount', MOST_AT_ONCE, 500)
  amount!: number;

  @OptionalText('note', { example: 'Invoice 4711', description: 'At most 255 characters; stands in the ledger' })
  note?: string | null;
}
