/** The floor of an upload: an HTTP server that gives a body to csv-parse and counts its rows. */
import { createServer } from 'node:http';
import { parse } from 'csv-parse';

const server = createServer((request, response) => {
  const parser = parse({ bom: true, relax_column_count: true });
  let rows = 0;
  parser.on('readable', () => {
    while (parser.read() !== null) rows += 1;
  });
  parser.on('end', () => response.end(JSON.stringify({ rows })));
  request.pipe(parser);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
process.on('SIGTERM', () => server.close());
