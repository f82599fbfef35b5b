/**
 * Credentials as the functions' runtime hands them over: in variables, for as long as the process lives. Bundles have this
 * in place of the SDK's chain of providers, with its clients for sign-ins that no function does.
 */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * The credentials of this process, in the form in which the SDK asks for a provider.
 * @throws where the runtime has handed over none.
 */
export const defaultProvider = () => async (): Promise<Credentials> => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = process.env;
  if (!accessKeyId || !secretAccessKey) {
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, as the runtime of functions sets them.');
  }
  return { accessKeyId, secretAccessKey, ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }) };
};
