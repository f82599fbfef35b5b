import { domainToASCII, domainToUnicode } from 'node:url';

/** What may be written in another way: letters beyond ASCII, by themselves or as percent signs and digits, and Punycode. */
const MAY_HAVE_FORMS = /[^\0-\x7f]|%|xn--/i;

/** The Punycode and Unicode forms of a host that it is not written in; none of most hosts, and of invalid ones. */
export const otherHostForms = (written: string): readonly string[] => {
  if (!MAY_HAVE_FORMS.test(written)) return [];
  const forms = [domainToASCII(written), domainToUnicode(written)];
  return forms.filter((form) => form !== '' && form !== written.toLowerCase());
};
