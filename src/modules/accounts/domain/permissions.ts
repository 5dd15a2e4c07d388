/** Permissions a new account has (reference/accounts#starting-state). */
const ENABLED = [
  'report_access',
  'broadcast_via_master_reseller',
  'read_status_broadcast',
  'voice_credits_access',
  'client_management',
  'invoice',
  'support',
  'reseller_settings',
] as const;

/** Permissions a new account lacks (reference/accounts#starting-state: every one not named enabled is off). */
const DISABLED = ['sms_credits', 'chat_credits', 'rcs', 'gsm', 'telegram', 'instagram'] as const;

export const PERMISSIONS = [...ENABLED, ...DISABLED] as const;

export type Permission = (typeof PERMISSIONS)[number];

/**
 * What an account may do. They never gate a sending route (the balance does); `client_management` and
 * `reseller_settings` are enforced on the admin routes (reference/accounts#permissions).
 */
export type Permissions = Record<Permission, boolean>;

/** The default permission set of every new account. */
export function defaultPermissions(): Permissions {
  return readPermissions(Object.fromEntries(ENABLED.map((name) => [name, true])));
}

/** Stored permissions, with every name present; what is unknown or no boolean counts as off. */
export function readPermissions(stored: Record<string, unknown>): Permissions {
  return Object.fromEntries(PERMISSIONS.map((name) => [name, stored[name] === true])) as Permissions;
}

export const isPermission = (name: string): name is Permission => (PERMISSIONS as readonly string[]).includes(name);
