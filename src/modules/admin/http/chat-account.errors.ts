import type { ErrorRow } from '../../../platform/http/index.js';
import { ACCOUNT_ERRORS } from './admin.errors.js';

const CHANNEL: ErrorRow = { status: 400, message: 'channel must be official or branded', reason: 'another word' };

export const CHAT_ACCOUNT_ERRORS: ErrorRow[] = [
  ...ACCOUNT_ERRORS,
  CHANNEL,
  { status: 404, message: 'Chat account not found', reason: 'the account has no such connection' },
];

export const PUT_CHAT_ACCOUNT_ERRORS: ErrorRow[] = [
  ...ACCOUNT_ERRORS,
  { status: 400, message: 'provider must be one of: meta_cloud, crm, reseller, other', reason: 'another word' },
  {
    status: 400,
    message: 'token is invalid',
    reason: 'likewise every other field: no text, too long, or characters that no header carries',
  },
  {
    status: 400,
    message: 'messages_per_second must be a whole number from 1 to 1000000',
    reason: 'something else; null = no limit',
  },
  CHANNEL,
  { status: 400, message: 'provider is required', reason: 'the connection is not there yet' },
  {
    status: 400,
    message: 'token is required with a new address',
    reason: 'another host, port or version in `url`, and a token that would follow it',
  },
];

export const REMOVE_CHAT_ACCOUNT_ERRORS: ErrorRow[] = [
  ...CHAT_ACCOUNT_ERRORS,
  { status: 409, message: 'Chat account is used by unfinished campaigns', reason: 'campaigns wait for it' },
];
