import 'reflect-metadata';
import { type Command, CommanderError } from 'commander';
import { AppError } from '../../kernel/errors.js';
import { EXIT, Failure } from './terminal.js';
import { createProgram } from './program.js';

async function main(): Promise<number> {
  const program = createProgram();
  for (const command of [program, ...program.commands] as Command[]) command.exitOverride();
  try {
    await program.parseAsync(process.argv);
    return EXIT.done;
  } catch (error) {
    // commander has printed its own message; help is a success
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    process.stderr.write(`${textOf(error)}\n`);
    if (error instanceof Failure && error.hint !== null) process.stderr.write(`Hint: ${error.hint}\n`);
    return error instanceof Failure ? error.code : EXIT.failed;
  }
}

// Prints only texts for people; never SQL, a host or a stack.
const textOf = (error: unknown): string =>
  error instanceof Failure || error instanceof AppError
    ? error.message
    : `The command failed (${(error as NodeJS.ErrnoException).code ?? (error as Error).name})`;

// Stops waiting; accepted work continues in the API.
process.once('SIGINT', () => {
  process.stderr.write('\nInterrupted\n');
  process.exit(EXIT.interrupted);
});

void main().then((code) => process.exit(code));
