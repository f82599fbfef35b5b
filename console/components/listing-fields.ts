/**
 * The optional texts of a listing without a place of their own, with the kind of their input. A new one appears in the form,
 * on the page of a listing and among the fields of an import.
 */
export const optionalTexts = { video_url: 'url' } as const satisfies Readonly<Record<string, 'text' | 'url'>>;

export type OptionalText = keyof typeof optionalTexts;
export const optionalTextNames = Object.keys(optionalTexts) as readonly OptionalText[];
