export {
  AddressLimits,
  CARRIER_PATHS,
  type MeteredRequest,
  RATE_LIMIT_METADATA,
  RateLimited,
  rateLimitErrors,
  RateLimitGuard,
  type RateRule,
  RouteRules,
  tooMany,
  CarrierMeter,
  UserMeter,
} from './rate-limits.js';
export { clientIp, networksOf, isInIpRanges, normalIpRange } from './client-ip.js';
export {
  constantTimeEqual,
  tokenKey,
  tokenKeys,
  PasswordHasher,
  SealedColumns,
  sealedIn,
  SealRenewal,
  Sealer,
} from './secrets.js';
export { RateCounters } from './rate-counters.js';
export { RateLimitsModule, SecurityModule } from './security.module.js';
