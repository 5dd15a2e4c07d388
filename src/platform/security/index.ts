export { AddressLimits } from './address-limits.js';
export { clientIp, networksOf } from './client-ip.js';
export { isInIpRanges, normalIpRange } from './ip-ranges.js';
export { constantTimeEqual, tokenKey } from './keys.js';
export { PasswordHasher } from './password-hasher.js';
export { RateCounters, wholeSeconds } from './rate-counters.js';
export {
  CARRIER_PATHS,
  type MeteredRequest,
  RATE_LIMIT_METADATA,
  RateLimited,
  rateLimitErrors,
  RateLimitGuard,
  type RateRule,
} from './rate-limits.js';
export { RedisLink } from './redis-link.js';
export { SealedColumns, SealRenewal } from './seal-renewal.js';
export { Sealer } from './sealer.js';
export { RateLimitsModule, SecurityModule } from './security.module.js';
export { RouteRules } from './route-rules.js';
export { tooMany } from './too-many.js';
export { CarrierMeter, UserMeter } from './request-meters.js';
