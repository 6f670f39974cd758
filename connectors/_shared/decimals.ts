/**
 * Returns a writer of decimals stored as an integer and a scale, which keeps all digits after the point.
 * Takes numbers and bigints.
 */
export function decimalWriter(scale: number): (scaled: unknown) => string {
  if (scale === 0) return String;
  const unit = 10 ** scale;
  // up to 15 digits the arithmetic of numbers is exact
  const isSmall = scale <= 15;
  return (scaled) => {
    if (typeof scaled !== 'number' || !isSmall) return pointed(String(scaled), scale);
    const magnitude = Math.abs(scaled);
    const whole = Math.floor(magnitude / unit);
    const digits = String(magnitude - whole * unit + unit);
    return `${scaled < 0 ? '-' : ''}${whole}.${digits.slice(1)}`;
  };
}

function pointed(integer: string, scale: number): string {
  const sign = integer.startsWith('-') ? '-' : '';
  const digits = integer.slice(sign.length).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
