import { AppError } from '../../../kernel/app-error.js';
import type { IdentityKind } from './identity.js';

/** Every error of this module; the texts are those of reference/authentication#registration. */
export const accountErrors = {
  missingCredentials: () => new AppError('invalid', 'missing_credentials', 'Missing email_or_username or password'),
  invalidCredentials: () => new AppError('unauthenticated', 'invalid_credentials', 'Invalid credentials'),
  inactive: () => new AppError('unauthenticated', 'account_inactive', 'Account is inactive'),
  expired: () =>
    new AppError('unauthenticated', 'account_expired', 'Account expired. Please contact your administrator.'),
  invalidToken: (kind: 'invalid' | 'unauthenticated' = 'unauthenticated') =>
    new AppError(kind, 'invalid_token', 'Invalid Authorization token'),
  pathUsername: () =>
    new AppError('unauthenticated', 'path_username', 'Route username does not match authenticated user'),
  registrationClosed: () => new AppError('forbidden', 'registration_closed', 'Registration is closed'),
  forbidden: () => new AppError('forbidden', 'forbidden', 'Forbidden'),
  permissionDenied: () => new AppError('forbidden', 'permission_denied', 'Permission denied'),
  notFound: () => new AppError('not_found', 'account_not_found', 'Account not found'),
  required: (field: string) => new AppError('invalid', 'field_required', `${field} is required`),
  invalid: (field: string) => new AppError('invalid', 'field_invalid', `${field} is invalid`),
  tooLong: (field: string, most: number) =>
    new AppError('invalid', 'field_too_long', `${field} must be at most ${most} characters`),
  userNotFound: () => new AppError('not_found', 'user_not_found', 'User not found'),
  apiKeyNotFound: () => new AppError('not_found', 'api_key_not_found', 'API key not found'),
  tooManyOf: (things: string, most: number) =>
    new AppError('conflict', 'too_many_of', `At most ${most} ${things} are allowed`),
  ipRange: (index: number) =>
    new AppError('invalid', 'ip_range', `allowed_ips[${index}] is not an IP address or range`),
  tooManyIpRanges: (most: number) =>
    new AppError('invalid', 'too_many_ip_ranges', `allowed_ips must have at most ${most} entries`),
  noManager: () =>
    new AppError('invalid', 'parent_no_manager', 'parent_username must name a reseller, admin or super account'),
  parentCircle: () => new AppError('invalid', 'parent_circle', 'parent_username must not be below the account itself'),
  hasClients: () => new AppError('conflict', 'account_has_clients', 'Account has clients'),
  password: (text: string) => new AppError('invalid', 'password_rule', text),
  taken: (kind: IdentityKind) => new AppError('conflict', `${kind}_taken`, TAKEN[kind]),
};

const TAKEN: Record<IdentityKind, string> = {
  email: 'Email already registered',
  username: 'Username already taken',
  mobile: 'Mobile number already registered',
};
