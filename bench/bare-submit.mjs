/** The baseline of the dispatch benchmark: a bare loop of the npm smpp client, same messages, same window, writes nothing. */
import smpp from 'smpp';

const [port, total, window, text] = [
  Number(process.argv[2]),
  Number(process.argv[3]),
  Number(process.argv[4]),
  process.argv[5],
];
const session = smpp.connect({ url: `smpp://127.0.0.1:${port}`, auto_enquire_link_period: 0 });
let sent = 0;
let answered = 0;
let started = 0;

const submit = () => {
  const number = String(919_000_000_000 + sent);
  sent += 1;
  session.submit_sm(
    {
      destination_addr: number,
      short_message: text,
      data_coding: 0,
      registered_delivery: 1,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
    },
    () => {
      answered += 1;
      if (sent < total) submit();
      else if (answered === total) {
        console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }));
        process.exit(0);
      }
    },
  );
};

session.on('connect', () => {
  session.bind_transceiver({ system_id: 'bench', password: 'bench' }, () => {
    started = performance.now();
    for (let i = 0; i < window && sent < total; i++) submit();
  });
});
