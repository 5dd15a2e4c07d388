import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../kernel/clock.js';
import { makerForOwner, readMaker } from '../../kernel/maker.js';
import { LocalTime, MadeBy, type MakerData } from '../../platform/http/index.js';
import { accountView, AccountView } from './authentication/authentication.dto.js';
import { type Account, NUMBER_CHECKS, type NumberCheckMode, type Permissions, PERMISSIONS } from './domain/account.js';
import type { AccountEntity } from './tables.js';

export class ManagedAccountAnswer extends AccountView {
  @ApiProperty({ type: String, nullable: true, example: 'India', description: 'As given at registration' })
  registered_country!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_username!: string | null;

  @ApiProperty({ example: true })
  is_active!: boolean;

  @LocalTime({ nullable: true, example: '2027-12-31 23:59:59' })
  expires_at!: string | null;

  @ApiProperty({ example: 'UTC' })
  time_zone!: string;

  @ApiProperty({ example: false })
  require_token!: boolean;

  @ApiProperty({ example: false })
  require_sender!: boolean;

  @ApiProperty({ example: false })
  refund_failed!: boolean;

  @ApiProperty({ example: true, description: 'What a carrier refuses in its answer to the submit is refunded' })
  refund_refused!: boolean;

  @ApiProperty({ example: true })
  public_lookup!: boolean;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'null: the prices that hold for all' })
  rate_plan!: string | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    example: null,
    description: 'Names of the only routes that it may use; null: all',
  })
  allowed_routes!: readonly string[] | null;

  @ApiProperty({ enum: [...NUMBER_CHECKS], example: 'warn' })
  number_check!: NumberCheckMode;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'IN',
    description: 'ISO 3166 code by which its national numbers are read; null: not known',
  })
  country!: string | null;

  @ApiProperty({ example: false, description: 'The specified endpoints refuse what the strict reader refuses' })
  strict_numbers!: boolean;

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(PERMISSIONS.map((name) => [name, { type: 'boolean' }])),
    additionalProperties: false,
    example: { client_management: true, reseller_settings: true },
  })
  permissions!: Permissions;

  @ApiProperty({
    type: [String],
    example: ['is_active', 'permissions.gsm'],
    description: 'Fields that staff set: the reseller cannot change them, and sets no later `expires_at`',
  })
  set_by_staff!: readonly string[];

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;
}

type Viewer = Pick<Account, 'id' | 'userType' | 'assignedUser'>;

/** Hides from a reseller which staff member made its client. */
function makerFor({ id, userType, assignedUser }: Viewer, createdBy: string | null): MakerData | null {
  const maker = readMaker(createdBy);
  const isOwn = maker?.id === id || maker?.id === assignedUser?.id;
  return userType !== 'reseller' || isOwn ? maker : makerForOwner(createdBy);
}

export const managedAccountAnswer = (
  account: Account,
  row: AccountEntity,
  usernames: Map<number, string>,
  viewer: Viewer,
  zone = account.timeZone,
): ManagedAccountAnswer => ({
  ...accountView(account),
  registered_country: row.country,
  parent_username: account.parentId === null ? null : (usernames.get(account.parentId) ?? null),
  is_active: account.isActive,
  expires_at: account.expiresAt && dateTime(account.expiresAt, zone),
  time_zone: account.timeZone,
  require_token: account.requireToken,
  require_sender: account.requireSender,
  refund_failed: account.refundFailed,
  refund_refused: account.refundRefused,
  public_lookup: account.publicLookup,
  rate_plan: row.ratePlan,
  allowed_routes: account.allowedRoutes,
  number_check: account.numberCheck,
  country: account.country,
  strict_numbers: account.strictNumbers,
  permissions: account.permissions,
  set_by_staff: account.setByStaff,
  created_by: makerFor(viewer, row.createdBy),
  created_at: dateTime(row.createdAt, zone),
  updated_at: dateTime(row.updatedAt, zone),
});
