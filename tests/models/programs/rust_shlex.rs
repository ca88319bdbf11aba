// Quotes each text with shlex::quote: lines of hexadecimal digits in, lines of hexadecimal digits out.
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let bytes = (0..line.len() / 2).map(|place| u8::from_str_radix(&line[2 * place..2 * place + 2], 16).unwrap());
        let text = String::from_utf8(bytes.collect()).unwrap();
        let quoted: String = shlex::quote(&text).bytes().map(|byte| format!("{:02x}", byte)).collect();
        println!("{}", quoted);
    }
}
