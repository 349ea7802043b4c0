// Folding of case and accents for searches, as in the service's own lists.

const KEPT = /\u0438\u0306/g // й is not и with an accent
const LEFT_OUT =
  /[\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]/g
const ALIKE = /** @type {Record<string, string>} */ ({
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ'
})

/** @param {string} text */
export function fold(text) {
  const bare = text.toLowerCase().normalize('NFKD').replace(KEPT, '\u0439').replace(LEFT_OUT, '')
  return bare.replace(/[ßæœþøłđðħŧıς]/g, (letter) => ALIKE[letter] ?? letter).normalize('NFC')
}
