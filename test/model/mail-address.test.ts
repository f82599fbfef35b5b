import { expect, it } from 'vitest';
import { sendableAddress } from '#model/mail-address.ts';

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['Ada.Lovelace+tag@Example.COM', 'Ada.Lovelace+tag@example.com'],
  ["o'neil{x}|~@mail.example.com", "o'neil{x}|~@mail.example.com"],
  ['info@bücher.example', 'info@xn--bcher-kva.example'],
  ['info@उदाहरण.परीक्षा', 'info@xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
])('mail to %s is sent to %s', (address, sent) => {
  expect(sendableAddress(address)).toBe(sent);
});

it.each([
  ['without both parts', ['', '@', 'ada', 'ada@', '@example.com']],
  ['with a local part beyond ASCII', ['jörg@example.org', '用户@example.org', 'a\u200bda@example.org']],
  ['with misplaced dots', ['.ada@example.org', 'ada.@example.org', 'a..da@example.org']],
  [
    'with a domain that is no name',
    ['ada@example', 'ada@localhost', 'ada@10.0.0.1', 'ada@[10.0.0.1]', 'ada@my_shop.example', 'ada@a..b'],
  ],
  ['with an invisible character', ['ada@exam\u200bple.org', 'ada@example.org\u00ad']],
  [
    'with more than one address',
    ['a@example.com,b@example.com', 'a@b@example.com', 'A <a@example.com>', 'a@example.com;'],
  ],
  ['with a long local part', [`${'a'.repeat(65)}@example.com`]],
  ['with a further header', ['a@example.com\r\nBcc: b@example.com', 'a\n@example.com']],
  ['with quotes', ['"a b"@example.com', 'a\\b@example.com', '(a)b@example.com']],
])('nothing is sent to an address %s', (_, addresses) => {
  expect(addresses.map((address) => [address, sendableAddress(address)])).toEqual(
    addresses.map((address) => [address, undefined]),
  );
});
