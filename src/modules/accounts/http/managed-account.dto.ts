import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { type Account, displayName, type Role, roleOf } from '../domain/account.js';
import { PERMISSIONS, type Permissions } from '../domain/permissions.js';
import type { AccountEntity } from '../persistence/account.entity.js';

/** An account as its managers see it; times in the account's own zone. */
export class ManagedAccountAnswer {
  @ApiProperty({ example: 7 })
  id!: number;

  @ApiProperty({ example: 'jane.doe' })
  username!: string;

  @ApiProperty({ type: String, nullable: true, example: 'jane@example.com' })
  email!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '919876543210' })
  mobile_no!: string | null;

  @ApiProperty({ example: 'Jane' })
  firstname!: string;

  @ApiProperty({ example: 'Doe' })
  lastname!: string;

  @ApiProperty({ example: 'Jane Doe' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  country!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'client' })
  user_type!: string | null;

  @ApiProperty({ enum: ['super', 'admin', 'user'], example: 'user' })
  role!: Role;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_username!: string | null;

  @ApiProperty({ example: true })
  is_active!: boolean;

  @ApiProperty({ type: String, nullable: true, example: '2027-12-31 23:59:59' })
  expires_at!: string | null;

  @ApiProperty({ example: 'UTC' })
  time_zone!: string;

  @ApiProperty({ example: false })
  require_token!: boolean;

  @ApiProperty({ example: false })
  refund_failed!: boolean;

  @ApiProperty({ example: true })
  public_lookup!: boolean;

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(PERMISSIONS.map((name) => [name, { type: 'boolean' }])),
    additionalProperties: false,
    example: { client_management: true, reseller_settings: true },
  })
  permissions!: Permissions;

  @ApiProperty({ type: String, nullable: true, example: null })
  api_base_url!: string | null;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  created_at!: string;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  updated_at!: string;
}

export const managedAccountAnswer = (
  account: Account,
  row: AccountEntity,
  usernames: Map<number, string>,
): ManagedAccountAnswer => ({
  id: account.id,
  username: account.username,
  email: account.email,
  mobile_no: account.mobileNo,
  firstname: account.firstname,
  lastname: account.lastname,
  name: displayName(account),
  country: row.country,
  user_type: account.userType,
  role: roleOf(account.userType),
  parent_username: account.parentId === null ? null : (usernames.get(account.parentId) ?? null),
  is_active: account.isActive,
  expires_at: account.expiresAt && dateTime(account.expiresAt, account.timeZone),
  time_zone: account.timeZone,
  require_token: account.requireToken,
  refund_failed: account.refundFailed,
  public_lookup: account.publicLookup,
  permissions: account.permissions,
  api_base_url: account.apiBaseUrl,
  created_at: dateTime(row.createdAt, account.timeZone),
  updated_at: dateTime(row.updatedAt, account.timeZone),
});
