import type { ComponentProps } from 'react';
import type { Schema } from '../api/client.js';
import { TextField } from '../ui/index.js';

type Account = Schema<'ManagedAccountAnswer'>;

/** Kinds of account that are changed with the own password only. */
export const isStaffKind = (kind: string | null | undefined): boolean =>
  kind === 'super' || kind === 'admin' || kind === 'reseller';

/** The own password of the person who acts. Spread `register('current_password')`. */
export function OwnPasswordField(field: Omit<ComponentProps<typeof TextField>, 'label' | 'type'>) {
  return (
    <TextField
      label="Your own password"
      type="password"
      autoComplete="current-password"
      hint="Needed to make or change an account of staff"
      {...field}
    />
  );
}

/** Only staff set these. */
const STAFF_ONLY = /^(require|refund)_/;
const BY_STAFF = 'Set by staff: ask them to change it';

/** Whether staff closed the account, so that its reseller changes nothing. */
export const isClosedByStaff = ({ set_by_staff: fields }: Pick<Account, 'set_by_staff'>): boolean =>
  fields.includes('is_active');

/**
 * What a reseller may not change, and why, as properties of a field; nothing for staff. The expiry may come earlier than
 * the one that staff set.
 */
export function lockedForReseller(
  { set_by_staff: fields }: Pick<Account, 'set_by_staff'>,
  isStaff: boolean,
  name: string,
): { disabled?: true; hint?: string } {
  if (isStaff) return {};
  if (fields.includes('is_active'))
    return { disabled: true, hint: 'Staff closed the account. Only staff can reopen it.' };
  if (STAFF_ONLY.test(name)) return { disabled: true, hint: 'Only staff can set this' };
  if (!fields.includes(name)) return {};
  return name === 'expires_at'
    ? { hint: 'Set by staff. You can only choose an earlier date.' }
    : { disabled: true, hint: BY_STAFF };
}
