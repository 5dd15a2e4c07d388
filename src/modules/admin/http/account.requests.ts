import { PERMISSIONS, USER_TYPES } from '../../accounts/index.js';
import { OptionalFlag, OptionalFlags, OptionalText, OptionalWord, RequiredText } from '../../../platform/http/index.js';

const EXPIRY = {
  example: '2027-12-31',
  description: 'YYYY-MM-DD (ends with that day), YYYY-MM-DD HH:MM:SS in the account’s time zone, or ISO 8601',
};
const ZONE = { example: 'Asia/Kolkata', description: 'IANA name; none: APP_TIME_ZONE' };
const PARENT = { example: 'reseller1', description: 'A reseller’s own clients always have it as parent' };

/** Body of POST /accounts (decisions §8). */
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
}

/** Body of PATCH /accounts/:username: any of them; null or '' clears expires_at, parent_username and time_zone. */
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

  @OptionalFlag('refund_failed', false)
  refund_failed?: boolean | null;

  @OptionalFlag('public_lookup', true)
  public_lookup?: boolean | null;

  @OptionalText('time_zone', ZONE)
  time_zone?: string | null;

  @OptionalFlags('permissions', PERMISSIONS)
  permissions?: Record<string, boolean> | null;

  @OptionalText('password', { example: 'Sunny-Day-8', description: 'Ends every token issued before' })
  password?: string | null;
}
