import { Page, Section } from '../ui/index.js';
import { TableForm } from './table-form.js';
import './routes.css';

export default function NewTablePage() {
  return (
    <Page title="New routing table" about="Changes apply to new sends within two seconds.">
      <Section title="Rules">
        <TableForm />
      </Section>
    </Page>
  );
}
