import { dateTime } from '../../../kernel/clock.js';
import { displayName } from '../domain/account.js';
import type { AssignedUserEntity } from '../persistence/assigned-user.entity.js';

/** An assigned user as the account sees it; times in the account's zone. */
export interface AssignedUserView {
  id: number;
  username: string;
  email: string | null;
  firstname: string;
  lastname: string;
  name: string;
  is_active: boolean;
  created_at: string;
  updated_at: string;
}

export const assignedUserView = (row: AssignedUserEntity, zone: string): AssignedUserView => ({
  id: row.id,
  username: row.username,
  email: row.email,
  firstname: row.firstname,
  lastname: row.lastname,
  name: displayName(row),
  is_active: row.isActive,
  created_at: dateTime(row.createdAt, zone),
  updated_at: dateTime(row.updatedAt, zone),
});
