/** Saves a streamed response as a file. */
export const download = async (stream: ReadableStream<Uint8Array> | null, filename: string): Promise<void> => {
  const url = URL.createObjectURL(await new Response(stream).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
