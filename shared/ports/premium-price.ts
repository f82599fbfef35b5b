import { settings } from '#platform/settings.ts';

/** What the premium plan costs, in the smallest unit of the currency. */
export const premiumPrice = (): { amount: number; currency: string } => {
  const { premiumPrice: amount, currency } = settings().payments;
  return { amount, currency };
};
