import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Body of login (reference/authentication#login). Read by hand: both faults share one text. */
export class LogInRequest {
  @ApiProperty({ example: 'demo', description: 'An e-mail when it contains @ and a domain, otherwise a username' })
  email_or_username!: string;

  @ApiProperty({ example: 'Demo-1234!' })
  password!: string;
}

/** Body of register (reference/authentication#registration). Read by hand: its faults have an order of their own. */
export class RegisterRequest {
  @ApiProperty({ example: 'Jane' })
  firstname!: string;

  @ApiProperty({ example: 'Doe' })
  lastname!: string;

  @ApiProperty({ example: 'jane@example.com' })
  email!: string;

  @ApiProperty({ example: 'jane.doe', pattern: '^[A-Za-z0-9._-]{3,64}$' })
  username!: string;

  @ApiProperty({
    example: 'Sunny-Day-7',
    description: 'At least 8 characters and at most 72 bytes: upper case, lower case, digit and special character',
  })
  password!: string;

  @ApiProperty({ example: 'Sunny-Day-7' })
  password_confirmation!: string;

  @ApiPropertyOptional({ example: '919876543210' })
  mobile_no?: string;

  @ApiPropertyOptional({ example: 'India' })
  country?: string;
}
