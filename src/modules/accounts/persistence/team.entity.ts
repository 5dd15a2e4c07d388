import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A team of an account; every account has a default one (reference/accounts#starting-state). */
@Entity('teams')
@Index('uq_teams_name', ['accountId', 'name'], { unique: true })
export class TeamEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 100 })
  name!: string;

  @Column({ name: 'is_default', type: 'boolean' })
  isDefault!: boolean;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}
