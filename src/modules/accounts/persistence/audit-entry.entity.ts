import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Who did what when (reference/admin#logs). Append-only. */
@Entity('audit_log')
@Index('ix_audit_log_actor', ['actor', 'id'])
@Index('ix_audit_log_account', ['actorId', 'id'])
@Index('ix_audit_log_concerned', ['accountId', 'id'])
export class AuditEntryEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  /** null: the system itself */
  @Column({ name: 'actor_id', type: 'int', unsigned: true, nullable: true })
  actorId!: number | null;

  /** the account that it concerns, where that is another one than the actor; null = none */
  @Column({ name: 'account_id', type: 'int', unsigned: true, nullable: true })
  accountId!: number | null;

  @Column({ type: 'varchar', length: 64 })
  actor!: string;

  /** the person who acted for the actor; null: the actor itself */
  @Column({ name: 'assigned_user', type: 'varchar', length: 64, nullable: true })
  assignedUser!: string | null;

  /** how the API key begins by which the actor acted; null: none */
  @Column({ name: 'api_key', type: 'varchar', length: 16, nullable: true, charset: 'ascii', collation: 'ascii_bin' })
  apiKey!: string | null;

  @Column({ type: 'varchar', length: 64 })
  action!: string;

  @Column({ type: 'varchar', length: 128 })
  subject!: string;

  /** JSON text */
  @Column({ type: 'longtext' })
  details!: string;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}
