import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CHAT_CONNECTIONS } from '../providers/index.js';

export const CHANNELS = [...CHAT_CONNECTIONS];

const EXAMPLE = {
  about: 'Fresh bread since 1904',
  address: '1 Market Street, Springfield',
  description: 'The bakery on the corner.',
  email: 'hello@bakery.example',
  vertical: 'RETAIL',
  websites: ['https://bakery.example'],
};

export const PROFILE_EXAMPLES = {
  one: { summary: 'One field', value: { about: EXAMPLE.about } },
  all: { summary: 'Every field of the branded connection', value: { ...EXAMPLE, channel: 'branded' } },
};

/** For Swagger; `readProfileChanges` validates it. */
export class UpdateBusinessProfileBody {
  @ApiPropertyOptional({ example: EXAMPLE.about })
  about?: string;

  @ApiPropertyOptional({ example: EXAMPLE.address })
  address?: string;

  @ApiPropertyOptional({ example: EXAMPLE.description })
  description?: string;

  @ApiPropertyOptional({ example: EXAMPLE.email })
  email?: string;

  @ApiPropertyOptional({ description: 'Business category, a word of the provider.', example: EXAMPLE.vertical })
  vertical?: string;

  @ApiPropertyOptional({ type: [String], example: EXAMPLE.websites })
  websites?: string[];

  @ApiPropertyOptional({ description: 'Which connection.', enum: CHANNELS, default: 'official' })
  channel?: string;
}

export class BusinessProfileView {
  @ApiProperty({ example: EXAMPLE.about })
  about!: string;

  @ApiProperty({ example: EXAMPLE.address })
  address!: string;

  @ApiProperty({ example: EXAMPLE.description })
  description!: string;

  @ApiProperty({ example: EXAMPLE.email })
  email!: string;

  @ApiProperty({ example: 'https://cdn.example/photo.jpg' })
  profile_picture_url!: string;

  @ApiProperty({ type: [String], example: EXAMPLE.websites })
  websites!: string[];

  @ApiProperty({ example: EXAMPLE.vertical })
  vertical!: string;
}

export class BusinessProfileAnswer {
  @ApiProperty({ example: 'Business profile fetched successfully' })
  message!: string;

  @ApiProperty({ type: BusinessProfileView })
  data!: BusinessProfileView;
}

export class PhotoBody {
  @ApiProperty({ type: 'string', format: 'binary', description: 'JPEG or PNG, at most 5 MB.' })
  file!: unknown;

  @ApiPropertyOptional({ description: 'Which connection.', enum: CHANNELS, default: 'official' })
  channel?: string;
}

export class PhotoAnswer {
  @ApiProperty({ example: 'Profile photo updated successfully' })
  message!: string;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { success: true } })
  data!: Record<string, unknown>;
}
