import type { TableRule } from '../../../platform/tables/index.js';
import { LONGEST_DELAY_MS } from './submission-queue.js';

/** What becomes of templates. */
export const templateTables: readonly TableRule[] = [
  { table: 'templates', rule: 'kept', why: 'TEMPLATES_PER_ACCOUNT; the owner removes them' },
  { table: 'template_controllers', rule: 'kept', why: 'one of each template' },
  {
    table: 'template_submissions',
    rule: 'work',
    // not a wait: one that a worker has under way would be taken by a second one
    moments: [{ column: 'due_at', longest: LONGEST_DELAY_MS }],
    why: 'the submission sweeper removes what the upstream has been told',
  },
];
