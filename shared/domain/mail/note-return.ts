/** What is known about a mail that came back or was complained of. */
export interface ReturnedMail {
  readonly reason: 'bounce' | 'complaint';
  /** Whether the address takes no mail from now on. */
  readonly final: boolean;
  /** What the mail service calls it. */
  readonly says: string;
  readonly addresses: readonly string[];
}

/** What noting it takes. */
export interface ReturnPorts {
  readonly stopMail: (address: string, reason: ReturnedMail['reason']) => Promise<void>;
  /** Counts it and writes it down, without saying whose mail it was. */
  readonly report: (returned: Pick<ReturnedMail, 'reason' | 'says'>, stopped: boolean) => void;
}

/** Stops mail to addresses that take none any more. What may work next time stops nothing. Noting it twice changes nothing. */
export const noteReturn = async (ports: ReturnPorts, returned: ReturnedMail): Promise<void> => {
  const { reason, final, says, addresses } = returned;
  if (final) await Promise.all(addresses.map((address) => ports.stopMail(address, reason)));
  ports.report({ reason, says }, final);
};
