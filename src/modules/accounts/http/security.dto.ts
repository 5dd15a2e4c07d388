import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, DoneAnswer, LocalTime, OptionalFlag, OptionalTexts } from '../../../platform/http/index.js';

/** Body of PATCH /account/security; an absent field stays as it is. */
export class SecurityRequest {
  @OptionalFlag('require_token', true, 'A username in the body sends nothing; a token or a key does')
  require_token?: boolean | null;

  @OptionalFlag('protect_reports', true, 'Reports and templates are shown with the account’s token only')
  protect_reports?: boolean | null;

  @OptionalTexts('body_username_addresses', {
    example: ['203.0.113.7', '2001:db8::/32'],
    description:
      'IPv4 and IPv6 addresses and CIDR ranges (100 at most) from which alone a username in the body sends. Empty: from anywhere.',
  })
  body_username_addresses?: string[] | null;
}

/** What holds for those who come without the account's token. */
export class SecurityData {
  @ApiProperty({ example: false, description: 'The owner’s choice' })
  require_token!: boolean;

  @ApiProperty({ example: false, description: 'The owner’s choice' })
  protect_reports!: boolean;

  @ApiProperty({ type: [String], example: ['203.0.113.7'], description: 'Empty: from anywhere' })
  body_username_addresses!: string[];

  @LocalTime({ nullable: true, description: 'When the owner last chose; null: not yet' })
  chosen_at!: string | null;

  @ApiProperty({ example: false, description: 'Staff closed it (`require_token`): only staff open it again' })
  required_by_staff!: boolean;

  @ApiProperty({ example: true, description: 'Whether a username in the body sends, from the addresses above' })
  sends_without_token!: boolean;

  @ApiProperty({ example: true, description: 'Whether reports and templates are shown without a token' })
  shows_without_token!: boolean;
}

export class SecurityAnswer extends AnswerOf(SecurityData) {}

/** Answer of a choice. */
export class ChosenSecurityAnswer extends DoneAnswer {
  @ApiProperty({ type: SecurityData })
  data!: SecurityData;
}
