import { ApiProperty } from '@nestjs/swagger';
import { MAKER_KINDS, type MakerKind } from '../../kernel/maker.js';

/** Who made a thing, as answers show it. */
export class MakerData {
  @ApiProperty({ enum: [...MAKER_KINDS], example: 'person', description: 'staff: of the operator, or the reseller' })
  kind!: MakerKind;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 373662154973185,
    description: 'Of the account, the person or the key; null of staff, to owners',
  })
  id!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'jane.doe',
    description: 'Username, or name of the key; null of staff, to owners',
  })
  name!: string | null;
}

/** `created_by` of an answer. */
export const MadeBy = (): PropertyDecorator =>
  ApiProperty({
    type: MakerData,
    nullable: true,
    description: 'null: the service itself, or made before makers were kept',
  });
