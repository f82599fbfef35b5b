// A file of its own without imports: the maps in the browser wrap longitudes too, and load no schemas.

/** The meridian of a longitude within -180..180, in degrees. */
export const wrapped = (longitude: number): number => {
  if (Math.abs(longitude) <= 180) return longitude;
  const rest = longitude % 360;
  return rest > 180 ? rest - 360 : rest < -180 ? rest + 360 : rest;
};
