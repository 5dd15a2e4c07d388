export { type Address, readAddress, OutboundClient, OutboundModule } from './outbound-client.js';
export type { SocketGuard } from './address-guard.js';
export { type Mail, Mailer } from './mailer.js';
export { IdentityProvider, type OidcAttempt, oidcFault } from './identity-provider.js';
export { Forwarder } from './forwarder.js';
export type { NameSettings } from './name-resolver.js';
export { OutboundError, type OutboundFault } from './outbound-error.js';
export type { OutboundResponse } from './exchange.js';
