/** The baseline: a function that does nothing. */
export const handler = async () => ({ statusCode: 200, headers: {}, body: '{}' });
