import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a reseller has granted to a client of one balance and not taken back, in credits: as much it may take back. */
@Entity('reseller_grants')
export class ResellerGrantEntity {
  @PrimaryColumn({ name: 'reseller_id', type: 'int', unsigned: true })
  resellerId!: number;

  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  @Column({ type: 'bigint' })
  amount!: number;
}
