import type { ErrorRow } from '../../../platform/http/index.js';
import { ADMIN_ERRORS } from './admin.errors.js';

export const ROUTE_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 404, message: 'Route not found', reason: 'no route of that name' },
];

export const PUT_ROUTE_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 400, message: 'name is invalid', reason: 'not 1 to 64 of A-Z a-z 0-9 . _ -' },
  { status: 400, message: 'channel must be one of: sms, unofficial, voice', reason: 'another word' },
  { status: 400, message: 'driver is required', reason: 'missing' },
  { status: 400, message: 'config must be an object', reason: 'missing, or something else' },
  { status: 400, message: 'config must be at most 64 KB', reason: 'more, as JSON' },
  {
    status: 400,
    message: 'messages_per_second must be a whole number from 1 to 1000000',
    reason: 'something else; null = no limit',
  },
  { status: 400, message: 'is_default must be true or false', reason: 'something else' },
  { status: 400, message: 'driver must be one of: smpp, http, twilio', reason: 'no such driver' },
  { status: 400, message: 'driver smpp carries sms, not voice', reason: 'the driver is for other channels' },
  {
    status: 400,
    message: 'config.host is required',
    reason: 'a field of the driver is missing, or `***` with nothing behind it',
  },
  {
    status: 400,
    message: 'config.port: Too big: expected number to be <=65535',
    reason: 'a field of the driver is at fault',
  },
  {
    status: 400,
    message: 'config.password is required with a new address',
    reason: 'another host, port, URL (its query aside), system_id, account_sid or TLS, and `***` for a secret',
  },
  { status: 409, message: 'Route belongs to channel sms', reason: 'a route never changes its channel' },
  {
    status: 409,
    message: 'Route was changed at the same time',
    reason: 'somebody else created it, or made another the default; send it again',
  },
];

export const ROTATE_ROUTE_ERRORS: ErrorRow[] = [
  ...ROUTE_ERRORS,
  { status: 409, message: 'Route has no callback address', reason: 'its driver takes no callbacks with a secret' },
];

export const REMOVE_ROUTE_ERRORS: ErrorRow[] = [
  ...ROUTE_ERRORS,
  { status: 409, message: 'Route is used by unfinished campaigns', reason: 'campaigns wait for it' },
];
