import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Bytes that an account stores. The transaction that writes or removes what is counted writes this row too. */
@Entity('account_storage')
export class AccountStorageEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'bigint', unsigned: true })
  bytes!: number;
}
