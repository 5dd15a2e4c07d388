import { textOrNull } from '../../../kernel/text.js';
import type { AccountChanges } from '../../accounts/index.js';
import type { ChangeAccountRequest } from './account.dto.js';

/** Absent and null keep; only expires_at, parent_username, time_zone, rate_plan (by null or '') and allowed_routes (by null) are cleared. */
export function changesOf(body: ChangeAccountRequest): AccountChanges {
  const {
    is_active,
    require_token,
    require_sender,
    refund_failed,
    public_lookup,
    permissions,
    revoke_api_keys,
    revoke_users,
    revoke_created,
  } = body;
  const userType = textOrNull(body.user_type);
  const numberCheck = textOrNull(body.number_check);
  const password = textOrNull(body.password);
  return {
    ...(typeof is_active === 'boolean' ? { isActive: is_active } : {}),
    ...(body.expires_at === undefined ? {} : { expiresAt: textOrNull(body.expires_at) }),
    ...(body.parent_username === undefined ? {} : { parentUsername: textOrNull(body.parent_username) }),
    ...(userType === null ? {} : { userType }),
    ...(typeof require_token === 'boolean' ? { requireToken: require_token } : {}),
    ...(typeof require_sender === 'boolean' ? { requireSender: require_sender } : {}),
    ...(typeof refund_failed === 'boolean' ? { refundFailed: refund_failed } : {}),
    ...(typeof public_lookup === 'boolean' ? { publicLookup: public_lookup } : {}),
    ...(body.time_zone === undefined ? {} : { timeZone: textOrNull(body.time_zone) }),
    ...(body.rate_plan === undefined ? {} : { ratePlan: textOrNull(body.rate_plan) }),
    ...(body.allowed_routes === undefined ? {} : { allowedRoutes: body.allowed_routes }),
    ...(body.released_fields ? { releasedFields: body.released_fields } : {}),
    ...(numberCheck === null ? {} : { numberCheck }),
    ...(permissions ? { permissions } : {}),
    ...(password === null
      ? {}
      : {
          password,
          revokeApiKeys: revoke_api_keys ?? false,
          revokeUsers: revoke_users ?? false,
          revokeCreated: revoke_created ?? false,
        }),
  };
}
