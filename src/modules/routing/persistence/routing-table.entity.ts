import { Column, Entity, PrimaryColumn } from 'typeorm';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** Rules of one kind of route, changed as a whole. */
@Entity('routing_tables')
export class RoutingTableEntity {
  @PrimaryColumn({ type: 'varchar', length: 64, ...ASCII })
  name!: string;

  /** the kind of route: `sms`, `unofficial`, `voice` */
  @Column({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  /** JSON text of `StoredRule[]` */
  @Column({ type: 'longtext' })
  rules!: string;

  @Column({ name: 'rule_count', type: 'int', unsigned: true })
  ruleCount!: number;

  /** how many prefixes they have together */
  @Column({ type: 'int', unsigned: true })
  prefixes!: number;

  /** another one with each change: who knows it needs not read the rules again */
  @Column({ type: 'bigint' })
  version!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}
