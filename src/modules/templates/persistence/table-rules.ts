import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of templates. */
export const templateTables: readonly TableRule[] = [
  { table: 'templates', rule: 'kept', why: 'TEMPLATES_PER_ACCOUNT; the owner removes them' },
  { table: 'template_controllers', rule: 'kept', why: 'one of each template' },
  {
    table: 'template_submissions',
    rule: 'work',
    why: 'the submission sweeper removes what the upstream has been told',
  },
];
