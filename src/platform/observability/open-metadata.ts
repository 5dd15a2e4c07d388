/** Key under which a route says that it takes no authentication, and why (`@Open` of the accounts module writes it too). */
export const OPEN_METADATA = 'switchboard:open';
