import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BROADCAST_EXAMPLE, BroadcastBody } from '../broadcasts/index.js';

const IMAGE = 'https://files.example.com/offer.jpg';
const DOCUMENT = 'https://files.example.com/offer.pdf';

/** Body of `addbroadcastUnofficial.php`, for Swagger; `readUnofficialBroadcast` validates it. */
export class UnofficialBroadcastBody extends BroadcastBody {
  @ApiProperty({ description: 'At most 1500 characters.', example: 'Hello from Switchboard' })
  message!: string;

  @ApiPropertyOptional({ description: 'Image, by its http(s) URL; an item of its own.', example: IMAGE })
  img1?: string;

  @ApiPropertyOptional({ description: 'Second image, by its http(s) URL; an item of its own.', example: IMAGE })
  img2?: string;

  @ApiPropertyOptional({ description: 'Document, by its http(s) URL; an item of its own.', example: DOCUMENT })
  document?: string;

  @ApiPropertyOptional({ description: 'Stored only: attachments are always separate items.', default: false })
  media_with_caption?: boolean;
}

export const UNOFFICIAL_EXAMPLES = {
  minimal: { summary: 'With a token', value: BROADCAST_EXAMPLE },
  named: { summary: 'Without a token, by username', value: { username: 'demo', ...BROADCAST_EXAMPLE } },
  attachments: {
    summary: 'With an image and a document',
    value: { ...BROADCAST_EXAMPLE, img1: IMAGE, document: DOCUMENT, media_with_caption: false },
  },
};

/** Answer of `addbroadcastUnofficial.php` (reference/unofficial-chat#addbroadcastunofficialphp). */
export class UnofficialBroadcastAnswer {
  @ApiProperty({ example: 'CHATCAMP_20260501_A1B2C3' })
  request_id!: string;

  @ApiProperty({ enum: ['Processing'], example: 'Processing', description: 'Queued, not delivered.' })
  status!: 'Processing';

  @ApiProperty({ enum: ['Success'], example: 'Success' })
  message!: 'Success';

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 2, description: 'One a contact.' })
  Credits!: number;
}
