# https://metacpan.org/pod/String::ShellQuote: shell_quote of one word.
use strict;
use warnings;
use String::ShellQuote qw(shell_quote);

binmode STDIN;
binmode STDOUT;
$| = 1;
$/ = "\0";
while (my $word = <STDIN>) {
    chomp $word;
    print shell_quote($word) . "\0";
}
