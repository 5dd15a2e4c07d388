export { type BoundedCache, boundedCache } from './bounded-cache.js';
export { TtlCache } from './ttl-cache.js';
