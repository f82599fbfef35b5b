/** Media types whose bodies reach functions as base64, whatever their bytes are. */
export const BINARY_TYPES = ['multipart/form-data'];
