import 'reflect-metadata';
import { readEnvironment } from '../../platform/config/index.js';
import { preparationFault, prepareDatabase } from './prepare-database.js';

// Run before a new version starts; `main.js --prepare` does the same in the API's process.
async function prepare(): Promise<void> {
  readEnvironment();
  for (const line of await prepareDatabase()) process.stdout.write(`${line}\n`);
}

prepare().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${preparationFault(error)}\n`);
    process.exit(1);
  },
);
