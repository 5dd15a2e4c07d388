import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A name that this cell has claimed in the directory, or has given up, and whose fate is open. */
@Entity('name_claims')
@Index('ix_name_claims_created', ['createdAt'])
@Index('ix_name_claims_name', ['kind', 'value'])
export class NameClaimEntity {
  @PrimaryColumn({ type: 'bigint' })
  claim!: number;

  @PrimaryColumn({ type: 'varchar', length: 8, charset: 'ascii', collation: 'ascii_bin' })
  kind!: string;

  /** as in `login_identities` */
  @Column({ type: 'varchar', length: 254 })
  value!: string;

  /** how often the sweeper looked at it: from the first look on no transaction takes the name by this claim */
  @Column({ type: 'int', unsigned: true })
  looks!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}
